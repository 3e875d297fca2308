import { findAppOfToken } from '../../apps/index.ts';
import type { TokenFacts } from '../../upstream/index.ts';
import { whyUnknown } from '../onboarding-app.ts';
import { ofFailure } from '../platform-fault.ts';
import type { Onboarding } from '../queries.ts';
import { accessTokenOf, type Step, type StepContext } from '../step-context.ts';
import { done, failed, type StepResult, skipped } from '../steps.ts';

const MANAGEMENT = 'whatsapp_business_management';
const MESSAGING = 'whatsapp_business_messaging';
const DAY_MS = 86_400_000;
/** A token that ends sooner is one for trying out: an account that is connected with it falls silent within days. */
const DAYS_LEFT_MIN = 7;
const DAYS_LEFT_NOTICE = 30;

const AGAIN = 'Connect again, or repeat this step with a new token.';

/**
 * Checks the token: its app, its permissions, its end, and the accounts that it reaches. Chooses the account if there is one. Without a chosen
 * app, a token of a further app chooses it.
 */
export const checkToken: Step = async (context) => {
  const { deps, onboarding, store } = context;
  const token = await accessTokenOf(context);
  if (token === undefined) return failed('There is no access token.', AGAIN);
  if (onboarding.appId === null) {
    const { appId, failure } = await findAppOfToken(deps, token);
    if (failure !== undefined) return ofFailure(failure, 'the check of the token');
    if (typeof appId === 'string') await store({ appId });
  }
  const app = await deps.appOf(context.onboarding);
  if (app === null) return unchecked(context.onboarding);
  const answer = await deps.upstream.debugToken(app, token);
  if (answer.kind !== 'ok') return ofFailure(answer, 'the check of the token');
  return judge(answer.value, app.id, deps.clock.now()) ?? (await chooseAccount(context, answer.value));
};

/** Returns the result without an app that may inspect the token. */
function unchecked({ appId, wabaId }: Onboarding): StepResult {
  const { reason, advice } = whyUnknown({ appId });
  return wabaId === null
    ? failed(`The accounts of the token are not known: ${reason}`, `${advice} Or repeat this step with "waba_id".`)
    : skipped(
        `The token was not checked: ${reason}`,
        `${advice} Without this, a wrong app or a missing permission is not found here.`,
      );
}

/** Returns the fault of a token; undefined if it has none. */
function judge({ isValid, appId, scopes, expiresAtMs }: TokenFacts, ownAppId: string, nowMs: number) {
  if (!isValid) return failed('The token is not valid: it is expired, revoked or malformed.', AGAIN, '190');
  if (appId !== ownAppId) {
    return failed(
      `The token belongs to the app ${appId ?? 'of another business'}, not to the app ${ownAppId} of this onboarding.`,
      `Make the token with the app ${ownAppId}, or add its app to the gateway and name it with "app_id". ${AGAIN}`,
    );
  }
  const missing = [MANAGEMENT, MESSAGING].filter((scope) => !scopes.includes(scope));
  if (missing.length > 0) {
    return failed(
      `The token lacks the permission ${missing.join(' and ')}.`,
      `Add it to the configuration of the sign-up, or to the system user's token. ${AGAIN}`,
      '200',
    );
  }
  if (expiresAtMs !== null && expiresAtMs < nowMs + DAYS_LEFT_MIN * DAY_MS) {
    return failed(
      `The token expires on ${dayOf(expiresAtMs)}.`,
      `Make a token of a system user that never expires. ${AGAIN}`,
    );
  }
  return undefined;
}

async function chooseAccount(
  { deps, onboarding, store }: StepContext,
  { targets, expiresAtMs }: TokenFacts,
): Promise<StepResult> {
  const isEndNear = expiresAtMs !== null && expiresAtMs < deps.clock.now() + DAYS_LEFT_NOTICE * DAY_MS;
  const notice = isEndNear ? 'Replace the token before it expires.' : undefined;
  const reached = [...new Set([...(targets.get(MANAGEMENT) ?? []), ...(targets.get(MESSAGING) ?? [])])];
  const { wabaId } = onboarding;
  const end = expiresAtMs === null ? 'It never expires.' : `It expires on ${dayOf(expiresAtMs)}.`;
  if (wabaId !== null) {
    if (reached.length > 0 && !reached.includes(wabaId)) {
      return {
        ...failed(
          `The token does not reach the account ${wabaId}, but ${listOf(reached)}.`,
          'Choose one of these accounts, or connect again and share the other one.',
          '200',
        ),
        choices: reached.map((id) => ({ id, label: id })),
      };
    }
    return done(`The token is valid for the account ${wabaId}. ${end}`, notice);
  }
  const [only] = reached;
  if (only === undefined) {
    return failed(
      'The token reaches no business account.',
      'Connect again and share an account, assign one to the system user, or repeat this step with "waba_id".',
    );
  }
  if (reached.length > 1) {
    return {
      state: 'waiting',
      message: `The token reaches ${reached.length} accounts: ${listOf(reached)}.`,
      advice: 'Choose the account to connect.',
      choices: reached.map((id) => ({ id, label: id })),
    };
  }
  await store({ wabaId: only });
  return done(`The token is valid and reaches the account ${only}. ${end}`, notice);
}

function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

function listOf(ids: readonly string[]): string {
  const shown = ids.slice(0, 5).join(', ');
  return ids.length > 5 ? `${shown} and ${ids.length - 5} more` : shown;
}
