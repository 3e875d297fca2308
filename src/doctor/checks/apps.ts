import { isAddressOfApp, isOwnWebhookAddress, webhookPathOf } from '../../upstream/index.ts';
import { type Check, type CheckContext, type KnownApp, skippedFor, type Verdict } from '../check.ts';

/** Fields without which the gateway misses states that it acts upon. */
export const REQUIRED_FIELDS = [
  'messages',
  'calls',
  'message_template_status_update',
  'message_template_quality_update',
  'message_template_components_update',
  'template_category_update',
  'phone_number_quality_update',
  'phone_number_name_update',
  'account_update',
  'account_review_update',
  'business_capability_update',
] as const;

const APP = { subject: 'app' };
const BY_FIX = 'in the app dashboard or by `fairway doctor --fix` (POST /admin/v1/doctor/fixes)';

type Answered = KnownApp & { answer: Extract<KnownApp['answer'], { kind: 'ok' }> };

/** Checks of each Meta app: that of the environment, then the further ones. */
export const APP_CHECKS: readonly Check[] = [
  {
    id: 'app-credentials',
    run: (context) => judgeApps(context, async (app) => judgeCredentials(app), judgeUnset(context)),
  },
  {
    id: 'app-fields',
    run: (context) =>
      judgeApps(
        context,
        ifAnswered((app) => judgeFields(context, app)),
      ),
  },
  {
    id: 'app-callback',
    run: (context) =>
      judgeApps(
        context,
        ifAnswered((app) => judgeCallback(context, app)),
      ),
  },
];

/** Judges every known app. Without the app of the environment, `unset` stands in its place. */
async function judgeApps(
  { knownApps }: CheckContext,
  judge: (app: KnownApp) => Promise<Verdict>,
  unset: Verdict = skippedFor(APP, undefined),
): Promise<Verdict[]> {
  const apps = await knownApps();
  const verdicts = await Promise.all(apps.map(judge));
  return apps.some(({ subject }) => subject === APP.subject) ? verdicts : [unset, ...verdicts];
}

/** Returns a judge that skips an app about which the platform gave no answer. */
function ifAnswered(judge: (app: Answered) => Verdict | Promise<Verdict>) {
  return async (app: KnownApp): Promise<Verdict> => {
    const { subject, answer } = app;
    return answer.kind === 'ok' ? await judge({ ...app, answer }) : skippedFor({ subject }, answer);
  };
}

function judgeUnset({ settings }: CheckContext): Verdict {
  if (settings.appId !== null || settings.appSecrets.length === 0) return skippedFor(APP, undefined);
  return {
    ...APP,
    status: 'warning',
    message: 'UPSTREAM_APP_ID is not set: neither the app nor tokens can be checked.',
    advice: "Set it to the app's id.",
  };
}

function judgeCredentials({ subject, answer }: KnownApp): Verdict {
  if (answer.kind === 'ok') return { subject, status: 'ok', message: 'The platform accepts them.' };
  if (answer.kind !== 'credential' && answer.kind !== 'rejected') return skippedFor({ subject }, answer);
  if (subject === APP.subject) {
    return {
      ...APP,
      status: 'failed',
      message: `The platform refuses UPSTREAM_APP_ID with the first UPSTREAM_APP_SECRET (code ${answer.code}).`,
      advice: 'Copy both from the app dashboard. With a wrong secret every webhook is refused as well.',
    };
  }
  return {
    subject,
    status: 'failed',
    message: `The platform refuses the id of the app with its first secret (code ${answer.code}).`,
    advice: 'Copy the secret from the app dashboard, and change it here (`fairway apps update --secrets`).',
  };
}

function judgeFields({ settings: { publicUrl } }: CheckContext, { subject, answer }: Answered): Verdict {
  const { callback, fields } = answer.value;
  const missing = REQUIRED_FIELDS.filter((field) => !fields.includes(field));
  if (callback === null || missing.length === 0) {
    return { subject, status: 'ok', message: 'The app is subscribed to every field that the gateway acts upon.' };
  }
  return {
    subject,
    status: missing.includes('messages') ? 'failed' : 'warning',
    message: `The app is not subscribed to the webhook fields ${missing.join(', ')}.`,
    advice: `Subscribe the app to these fields, ${BY_FIX}.`,
    isFixable: isOwnWebhookAddress(publicUrl, callback.url ?? ''),
  };
}

async function judgeCallback(context: CheckContext, app: Answered): Promise<Verdict> {
  const { subject, webhookPath, answer } = app;
  const { publicUrl } = context.settings;
  const { callback, isActive } = answer.value;
  const isHere = callback !== null && isOwnWebhookAddress(publicUrl, callback.url ?? '');
  if (callback === null || !isActive) {
    return {
      subject,
      status: 'failed',
      message: 'The app has no active webhook address: the platform posts nothing.',
      advice: `Set the address ${webhookPath} of this gateway, ${BY_FIX}.`,
      isFixable: publicUrl !== null && (callback === null || isHere),
    };
  }
  if ((await context.publicUrl()) !== 'working') {
    return {
      subject,
      status: 'skipped',
      message: 'PUBLIC_URL does not work, so that nothing can be compared with it.',
    };
  }
  return judgeAddress(publicUrl, callback.url, app);
}

/** Judges the webhook address that an app has at the platform. */
function judgeAddress(publicUrl: string | null, url: string | null, app: KnownApp): Verdict {
  const { subject, webhookPath } = app;
  const { id } = app.credentials;
  if (isAddressOfApp(publicUrl, url, { id, webhookPath })) {
    return { subject, status: 'ok', message: 'The webhooks of the app come to this gateway.' };
  }
  if (!isOwnWebhookAddress(publicUrl, url ?? '')) {
    return {
      subject,
      status: 'failed',
      message: `The webhooks of the app go to ${url ?? 'an invalid address'}.`,
      advice: 'Change the address in the app dashboard, if no other system needs it.',
    };
  }
  const isShared = isAddressOfApp(publicUrl, url, { id, webhookPath: webhookPathOf(null) });
  return {
    subject,
    status: isShared ? 'warning' : 'failed',
    message: isShared
      ? 'The webhooks of the app come to the address of all apps, which tries the secrets of the eight oldest further apps only.'
      : `The webhooks of the app go to ${url}, the address of another app.`,
    advice: `Set the address ${webhookPath} of this gateway, ${BY_FIX}.`,
    isFixable: true,
  };
}
