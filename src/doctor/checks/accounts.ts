import { isOwnWebhookAddress, type NumberHealth, type WebhookAddress } from '../../upstream/index.ts';
import { type Check, type CheckContext, judgeWabas, skippedFor, type Verdict, wabaSubject } from '../check.ts';
import { type CheckedWaba, listFailingEndpoints, listSilentNumbers } from '../queries.ts';

const SYNC_AGE_MS_MAX = 30 * 86_400_000;
const FAILING_SECONDS_MAX = 60;

type Judged = Omit<Verdict, 'subject' | 'organizationId'>;

/** Checks of business accounts, their numbers, and the endpoints of their organizations. */
export const ACCOUNT_CHECKS: readonly Check[] = [
  wabaCheck('waba-subscription', async (waba, context) => {
    const subscription = await context.subscription(waba);
    if (subscription.kind !== 'ok') return skippedFor(wabaSubject(waba), subscription);
    if (subscription.value.isSubscribed) return { status: 'ok', message: 'The app is subscribed.' };
    return {
      status: 'failed',
      message: 'The app is not subscribed to this business account: its statuses and messages do not arrive.',
      advice: 'Connect the business account again, or run `fairway doctor --fix` (POST /admin/v1/doctor/fixes).',
      isFixable: true,
    };
  }),
  wabaCheck('waba-override', async (waba, context) => {
    const subscription = await context.subscription(waba);
    if (subscription.kind !== 'ok') return skippedFor(wabaSubject(waba), subscription);
    return judgeOverride(context, subscription.value.override, 'business account');
  }),
  wabaCheck('template-sync', ({ syncedAtMs }, { clock }) => {
    if (syncedAtMs !== null && clock.now() - syncedAtMs <= SYNC_AGE_MS_MAX) {
      return { status: 'ok', message: `Templates were read on ${dayOf(syncedAtMs)}.` };
    }
    return {
      status: 'warning',
      message: `Templates were last read on ${syncedAtMs === null ? 'no day' : dayOf(syncedAtMs)}: missed changes stay unknown.`,
      advice: 'Run `fairway wabas sync`, or `fairway doctor --fix` (POST /admin/v1/doctor/fixes).',
      isFixable: true,
    };
  }),
  numberCheck('number-override', ({ webhooks }, context) => judgeOverride(context, webhooks.number, 'number')),
  numberCheck('number-registered', ({ platformType, status }) => {
    if (platformType === 'NOT_APPLICABLE') {
      return {
        status: 'failed',
        message: 'The number is not registered: it cannot send.',
        advice: 'Register it with its PIN (POST /{phone_number_id}/register at the platform), then sync.',
      };
    }
    return status === null || status === 'CONNECTED'
      ? { status: 'ok', message: 'The number is registered.' }
      : {
          status: 'failed',
          message: `The platform reports the number as ${status}: it cannot send.`,
          advice: 'Look for the cause in WhatsApp Manager.',
        };
  }),
  numberCheck('number-health', ({ canSend, reasons, platformType, status }) => {
    if (platformType === 'NOT_APPLICABLE' || (status !== null && status !== 'CONNECTED')) {
      return { status: 'skipped', message: 'The number is not connected.' };
    }
    if (canSend === null || canSend === 'AVAILABLE') return { status: 'ok', message: 'The number may send.' };
    return {
      status: canSend === 'BLOCKED' ? 'failed' : 'warning',
      message: `The platform reports ${canSend}${reasons.length === 0 ? '.' : `: ${reasons.join(' ')}`}`,
      advice: 'Follow the reason in WhatsApp Manager: payment method, display name, quality or a restriction.',
    };
  }),
  {
    id: 'number-statuses',
    async run({ db, clock, wabas }) {
      const organizationIds = [...new Set((await wabas()).map(({ organizationId }) => organizationId))];
      const silent = await listSilentNumbers(db, organizationIds, clock.now());
      if (silent.length === 0) return [{ subject: 'numbers', status: 'ok', message: 'Statuses arrive.' }];
      return silent.map(({ organizationId, phoneNumberId, sent }) => ({
        subject: `number ${phoneNumberId}`,
        organizationId,
        status: 'failed',
        message: `${sent} messages were sent more than five minutes ago, and no status has arrived for any of them.`,
        advice: 'See app-fields, app-callback, waba-subscription, the overrides, and the proxy before the gateway.',
      }));
    },
  },
  {
    id: 'endpoints',
    async run({ db, selection }) {
      const failing = (await listFailingEndpoints(db, selection)).filter(
        ({ disabledReason, failingSeconds }) => disabledReason !== null || (failingSeconds ?? 0) > FAILING_SECONDS_MAX,
      );
      if (failing.length === 0) return [{ subject: 'endpoints', status: 'ok', message: 'No endpoint fails.' }];
      return failing.map(({ organizationId, id, disabledReason, failingSeconds }) => ({
        subject: `endpoint ${id}`,
        organizationId,
        status: disabledReason === null ? 'warning' : 'failed',
        message:
          disabledReason === null
            ? `Every delivery has failed for ${Math.round((failingSeconds ?? 0) / 60)} minutes.`
            : `The endpoint was disabled (${disabledReason}): its events wait for nobody.`,
        advice: 'Its owner mends the receiver, enables the endpoint and replays what it missed.',
      }));
    },
  },
];

function judgeOverride(context: CheckContext, override: WebhookAddress | null, level: string): Judged {
  if (override === null || isOwnWebhookAddress(context.settings.publicUrl, override.url ?? ''))
    return { status: 'ok', message: 'There is no override.' };
  return {
    status: 'failed',
    message: `An override of the ${level} sends its webhooks to ${override.url ?? 'an invalid address'}.`,
    advice: 'Remove the override at the platform, if no other system needs it.',
  };
}

function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/** Makes a check that judges each business account on its own. */
function wabaCheck(id: string, judge: (waba: CheckedWaba, context: CheckContext) => Judged | Promise<Judged>): Check {
  return {
    id,
    run: (context) => judgeWabas(context, async (waba) => [{ ...wabaSubject(waba), ...(await judge(waba, context)) }]),
  };
}

/** Makes a check that judges each number on its own. */
function numberCheck(id: string, judge: (number: NumberHealth, context: CheckContext) => Judged): Check {
  return {
    id,
    run: (context) =>
      judgeWabas(context, async (waba) => {
        const numbers = await context.numbers(waba);
        if (numbers.kind !== 'ok') return [skippedFor(wabaSubject(waba), numbers)];
        const { organizationId } = waba;
        return numbers.value.map((number) => ({
          subject: `number ${number.id}`,
          organizationId,
          ...judge(number, context),
        }));
      }),
  };
}
