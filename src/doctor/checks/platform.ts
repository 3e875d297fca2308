import { isOwnWebhookAddress } from '../../upstream/index.ts';
import { type Check, type CheckContext, skippedFor, type Verdict } from '../check.ts';
import { judgeFurtherCredentials, judgeFurtherFields } from './further-apps.ts';

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

/** Days of the end of each Graph version whose end is announced. */
const VERSION_ENDS: Readonly<Record<string, string>> = {
  '19.0': '2026-05-21',
  '20.0': '2026-09-24',
  '21.0': '2027-01-21',
  '22.0': '2027-05-20',
  '23.0': '2027-10-08',
  '24.0': '2028-02-18',
  '25.0': '2028-07-29',
};

const VERSION_NOTICE_MS = 90 * 86_400_000;
const APP = { subject: 'app' };
const PLATFORM = { subject: 'platform' };

/** Checks of the platform's address and of the app. */
export const PLATFORM_CHECKS: readonly Check[] = [
  { id: 'platform-reachable', run: async (context) => [await judgeReach(context)] },
  { id: 'graph-version', run: ({ settings, clock }) => [judgeVersion(settings.upstreamBaseUrl, clock.now())] },
  {
    id: 'app-credentials',
    run: async (context) => [await judgeCredentials(context), ...(await judgeFurtherCredentials(context))],
  },
  {
    id: 'app-fields',
    async run(context) {
      const further = await judgeFurtherFields(
        context,
        REQUIRED_FIELDS,
        (url) => context.settings.publicUrl === null || leadsHere(context, url),
      );
      const app = await context.app();
      if (app?.kind !== 'ok') return [skippedFor(APP, app), ...further];
      const missing = REQUIRED_FIELDS.filter((field) => !app.value.fields.includes(field));
      if (app.value.callback === null || missing.length === 0) {
        return [
          { ...APP, status: 'ok', message: 'The app is subscribed to every field that the gateway acts upon.' },
          ...further,
        ];
      }
      return [
        {
          ...APP,
          status: missing.includes('messages') ? 'failed' : 'warning',
          message: `The app is not subscribed to the webhook fields ${missing.join(', ')}.`,
          advice:
            'Subscribe the app to these fields, in the app dashboard or by `fairway doctor --fix` (POST /admin/v1/doctor/fixes).',
          isFixable: leadsHere(context, app.value.callback.url),
        },
        ...further,
      ];
    },
  },
  {
    id: 'app-callback',
    async run(context) {
      const app = await context.app();
      if (app?.kind !== 'ok') return [skippedFor(APP, app)];
      const { callback, isActive } = app.value;
      if (callback === null || !isActive) {
        return [
          {
            ...APP,
            status: 'failed',
            message: 'The app has no active webhook address: the platform posts nothing.',
            advice: 'Set the address in the app dashboard, or by `fairway doctor --fix` (POST /admin/v1/doctor/fixes).',
            isFixable: context.settings.publicUrl !== null && (callback === null || leadsHere(context, callback.url)),
          },
        ];
      }
      if ((await context.publicUrl()) !== 'working') {
        return [
          { ...APP, status: 'skipped', message: 'PUBLIC_URL does not work, so that nothing can be compared with it.' },
        ];
      }
      return [
        leadsHere(context, callback.url)
          ? { ...APP, status: 'ok', message: 'The webhooks of the app come to this gateway.' }
          : {
              ...APP,
              status: 'failed',
              message: `The webhooks of the app go to ${callback.url ?? 'an invalid address'}.`,
              advice: 'Change the address in the app dashboard, if no other system needs it.',
            },
      ];
    },
  },
];

/** True if `url` is a webhook address of this gateway. */
export function leadsHere({ settings: { publicUrl } }: Pick<CheckContext, 'settings'>, url: string | null): boolean {
  return url !== null && isOwnWebhookAddress(publicUrl, url);
}

async function judgeReach(context: CheckContext): Promise<Verdict> {
  const [first] = await context.wabas();
  const answered = (await context.app()) ?? (first && (await context.subscription(first)));
  if (answered === undefined || (answered.kind === 'unavailable' && answered.reason === 'not_configured')) {
    return { ...PLATFORM, status: 'skipped', message: 'There is neither an app nor a business account to ask about.' };
  }
  if (answered.kind !== 'unavailable') return { ...PLATFORM, status: 'ok', message: 'The platform answers.' };
  return {
    ...PLATFORM,
    status: 'failed',
    message: `The platform gave no usable answer (${answered.reason}).`,
    advice: 'Check UPSTREAM_BASE_URL, DNS, the firewall and metastatus.com.',
  };
}

async function judgeCredentials(context: CheckContext): Promise<Verdict> {
  const app = await context.app();
  if (app === undefined) {
    if (context.settings.appSecrets.length === 0) return skippedFor(APP, app);
    return {
      ...APP,
      status: 'warning',
      message: 'UPSTREAM_APP_ID is not set: neither the app nor tokens can be checked.',
      advice: "Set it to the app's id.",
    };
  }
  if (app.kind === 'credential' || app.kind === 'rejected') {
    return {
      ...APP,
      status: 'failed',
      message: `The platform refuses UPSTREAM_APP_ID with the first UPSTREAM_APP_SECRET (code ${app.code}).`,
      advice: 'Copy both from the app dashboard. With a wrong secret every webhook is refused as well.',
    };
  }
  return app.kind === 'ok' ? { ...APP, status: 'ok', message: 'The platform accepts them.' } : skippedFor(APP, app);
}

/** Judges the version in the platform's address. */
export function judgeVersion(baseUrl: string, nowMs: number): Verdict {
  const version = /\/v(\d+\.\d+)$/.exec(baseUrl)?.[1];
  if (version === undefined) {
    return {
      ...PLATFORM,
      status: 'warning',
      message: 'UPSTREAM_BASE_URL names no version: the platform chooses one.',
      advice: 'End it with a version, for example /v25.0.',
    };
  }
  const end = VERSION_ENDS[version];
  const leftMs = end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end) - nowMs;
  const isTooOld = end === undefined && Number(version) < 19;
  if (!isTooOld && leftMs > VERSION_NOTICE_MS) {
    return {
      ...PLATFORM,
      status: 'ok',
      message: end ? `v${version} ends on ${end}.` : `The end of v${version} is not known.`,
    };
  }
  const isOver = isTooOld || leftMs <= 0;
  return {
    ...PLATFORM,
    status: isOver ? 'failed' : 'warning',
    message: isOver ? `v${version} has ended: the platform uses its oldest version.` : `v${version} ends on ${end}.`,
    advice: 'Read the changelog of the newer versions, then raise the version in UPSTREAM_BASE_URL.',
  };
}
