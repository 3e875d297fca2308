import { ofError, ofFailure } from '../platform-fault.ts';
import { accessTokenOf, chosenNumber, type Step } from '../step-context.ts';
import { done, failed } from '../steps.ts';

/** Checks that the webhooks of the account and of its number come here. Subscribes the app if it is not. */
export const checkSubscription: Step = async (context) => {
  const { deps, onboarding } = context;
  const { wabaId } = onboarding;
  const token = await accessTokenOf(context);
  if (wabaId === null || token === undefined) {
    return failed('There is no connected account.', 'Repeat the step connect_account.');
  }
  const read = await deps.upstream.readSubscription(wabaId, token);
  if (read.kind !== 'ok') return ofFailure(read, 'to show the subscription of the account');
  if (!read.value.isSubscribed) {
    const subscribed = await deps.upstream.subscribeApp(wabaId, token);
    if (subscribed.kind !== 'ok') return ofFailure(subscribed, 'the subscription of the account');
  }
  if (((await chosenNumber(context))?.webhookOverride ?? null) !== null) {
    try {
      await deps.readAccount(wabaId);
    } catch (error) {
      return ofError(error, 'the reading of the account', 'Repeat this step.');
    }
  }
  const override = (await chosenNumber(context))?.webhookOverride ?? null;
  if (override !== null) {
    return failed(
      `An override of the ${override.level === 'phone_number' ? 'number' : 'account'} sends its webhooks to ` +
        `${override.url ?? 'an invalid address'}.`,
      'Remove the override with the system that set it. Then repeat this step.',
    );
  }
  return done('The app is subscribed to the account, and its webhooks come to this gateway.');
};
