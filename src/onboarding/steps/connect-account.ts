import { ofError } from '../platform-fault.ts';
import { accessTokenOf, type Step } from '../step-context.ts';
import { done, failed } from '../steps.ts';

/** Connects the account with the token, and chooses its number if there is one. */
export const connectAccount: Step = async (context) => {
  const { deps, onboarding, store } = context;
  const { organizationId, wabaId } = onboarding;
  const accessToken = await accessTokenOf(context);
  if (wabaId === null || accessToken === undefined) {
    return failed('There is no account or no token to connect.', 'Repeat the step check_token.');
  }
  // Without credentials of the app of the environment, no one has checked that the token belongs to it.
  const appId = onboarding.appId ?? (deps.apps.defaultCredentials === null ? undefined : null);
  try {
    await deps.connect(organizationId, { wabaId, accessToken, appId });
  } catch (error) {
    return ofError(
      error,
      `the connection of the account ${wabaId}`,
      'If another organization of this gateway has the account, disconnect it there, or choose another account.',
    );
  }
  // From here on the connected account holds the token.
  await store({ tokenSealed: null });
  const numbers = await deps.accounts.listNumbersOfWaba(organizationId, wabaId);
  const choices = numbers.map(({ phoneNumberId, phoneNumber }) => ({ id: phoneNumberId, label: `+${phoneNumber}` }));
  const given = onboarding.phoneNumberId;
  if (given !== null) {
    const chosen = numbers.find(({ phoneNumberId }) => phoneNumberId === given);
    if (chosen !== undefined) return done(`The account ${wabaId} is connected with the number +${chosen.phoneNumber}.`);
    return {
      ...failed(`The account ${wabaId} has no number with the id ${given}.`, 'Choose one of its numbers.'),
      choices,
    };
  }
  const [only] = numbers;
  if (only === undefined) {
    return failed(`The account ${wabaId} has no number.`, 'Add a number in WhatsApp Manager, then repeat this step.');
  }
  if (numbers.length > 1) {
    return {
      state: 'waiting',
      message: `The account ${wabaId} is connected and has ${numbers.length} numbers.`,
      advice: 'Choose the number to set up.',
      choices,
    };
  }
  await store({ phoneNumberId: only.phoneNumberId });
  return done(`The account ${wabaId} is connected with the number +${only.phoneNumber}.`);
};
