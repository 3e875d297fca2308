import { REQUIRED_FIELDS } from '../../doctor/index.ts';
import { isAddressOfApp, isOwnWebhookAddress } from '../../upstream/index.ts';
import { type OnboardingApp, whyUnknown } from '../onboarding-app.ts';
import { ofFailure } from '../platform-fault.ts';
import type { Step, StepContext } from '../step-context.ts';
import { done, failed, type Later, type StepResult, skipped } from '../steps.ts';

/** Adds missing webhook fields to the app. Takes the app's webhooks from another address only if a person asked for it. */
export const subscribeAppFields: Step = async (context) => {
  const { appOf, upstream, publicUrl } = context.deps;
  const app = await appOf(context.onboarding);
  if (app === null) {
    return skipped(
      `The webhooks of the app were not checked: ${whyUnknown(context.onboarding).reason}`,
      'Subscribe the app in its dashboard, and check with `fairway doctor`.',
    );
  }
  const present = await upstream.readAppWebhooks(app);
  if (present.kind !== 'ok') return ofFailure(present, "to show the app's webhooks");
  const { callback, isActive, fields } = present.value;
  const missing = REQUIRED_FIELDS.filter((field) => !fields.includes(field));
  const isElsewhere = callback !== null && !isOwnWebhookAddress(publicUrl, callback.url ?? '');
  if (isElsewhere && publicUrl !== null && !context.onboarding.replaceCallback) {
    return failed(
      `The webhooks of the app go to ${callback.url ?? 'an invalid address'}, not to this gateway.`,
      'If no other system needs them, repeat this step with "replace_callback". Otherwise use an app of its own for this gateway.',
    );
  }
  if (
    callback !== null &&
    isActive &&
    missing.length === 0 &&
    (publicUrl === null || isAddressOfApp(publicUrl, callback.url, app))
  ) {
    return done('The app is subscribed to every field that the gateway acts upon.');
  }
  if (publicUrl === null) {
    return failed(
      callback === null
        ? 'The app has no webhook address.'
        : `The app is not subscribed to the webhook fields ${missing.join(', ')}.`,
      'Set PUBLIC_URL and repeat this step, or subscribe the app in its dashboard.',
    );
  }
  return await subscribe(context, app, [...new Set([...fields, ...REQUIRED_FIELDS])], missing);
};

async function subscribe(
  { deps, store }: StepContext,
  app: OnboardingApp,
  fields: readonly string[],
  missing: readonly string[],
): Promise<StepResult | Later> {
  const { upstream, publicUrl } = deps;
  const { verifyToken, webhookPath } = app;
  const callbackUrl = `${publicUrl}${webhookPath}`;
  const subscribed = await upstream.subscribeAppFields(app, { callbackUrl, verifyToken, fields });
  if (subscribed.kind !== 'ok') return ofFailure(subscribed, "the address of the app's webhooks");
  await store({ replaceCallback: false });
  return done(
    missing.length === 0
      ? 'The webhooks of the app come to this gateway now.'
      : `The app was subscribed to the missing fields ${missing.join(', ')}.`,
  );
}
