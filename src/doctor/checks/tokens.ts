import type { TokenFacts } from '../../upstream/index.ts';
import { type Check, type CheckContext, judgeWabas, skippedFor, type Verdict, wabaSubject } from '../check.ts';
import type { CheckedWaba } from '../queries.ts';

const EXPIRY_NOTICE_MS = 14 * 86_400_000;
const SCOPES = ['whatsapp_business_management', 'whatsapp_business_messaging'];
const RECONNECT = 'Make a token of a system user and connect the business account again with it.';

type Judged = Omit<Verdict, 'subject' | 'organizationId'>;

/** Checks of the access token of each business account. */
export const TOKEN_CHECKS: readonly Check[] = [
  {
    id: 'token-valid',
    run: (context) =>
      judgeWabas(context, async (waba) => [{ ...wabaSubject(waba), ...(await judgeValidity(context, waba)) }]),
  },
  tokenCheck('token-expiry', ({ expiresAtMs }, _waba, { clock }) => {
    if (expiresAtMs === null) return { status: 'ok', message: 'The token does not expire.' };
    const day = new Date(expiresAtMs).toISOString().slice(0, 10);
    if (expiresAtMs - clock.now() > EXPIRY_NOTICE_MS) return { status: 'ok', message: `The token expires on ${day}.` };
    return { status: 'warning', message: `The token expires on ${day}.`, advice: RECONNECT };
  }),
  tokenCheck('token-scopes', ({ scopes, targets }, { wabaId }) => {
    const missing = SCOPES.filter((scope) => !scopes.includes(scope));
    if (missing.length > 0) {
      return { status: 'failed', message: `The token lacks the permissions ${missing.join(', ')}.`, advice: RECONNECT };
    }
    const closed = SCOPES.filter((scope) => targets.get(scope)?.includes(wabaId) === false);
    if (closed.length === 0) return { status: 'ok', message: 'The token has the permissions it needs.' };
    return {
      status: 'failed',
      message: `The token does not reach this business account with ${closed.join(', ')}.`,
      advice: 'Assign the business account to the system user of the token.',
    };
  }),
  tokenCheck('token-app', ({ appId }, waba, { settings }) => {
    const expected = waba.appId ?? settings.appId;
    return appId === null || appId === expected
      ? { status: 'ok', message: 'The token belongs to the configured app.' }
      : {
          status: 'failed',
          message: `The token belongs to the app ${appId}, and the business account to the app ${expected}.`,
          advice: 'Connect the business account again with a token of its app, or change its app.',
        };
  }),
];

async function judgeValidity(context: CheckContext, waba: CheckedWaba): Promise<Judged> {
  if (!(await context.isTokenReadable(waba))) {
    return {
      status: 'failed',
      message: 'No encryption key of this node opens the stored token.',
      advice: 'Add the key that sealed it to ENCRYPTION_KEY, or connect the business account again.',
    };
  }
  const token = await context.token(waba);
  const answered = token?.kind === 'ok' ? token : await context.subscription(waba);
  const isRefused = token?.kind === 'ok' ? !token.value.isValid : answered.kind === 'credential';
  if (isRefused) {
    return { status: 'failed', message: 'The platform refuses the token.', advice: RECONNECT };
  }
  if (answered.kind !== 'ok') return skippedFor(wabaSubject(waba), answered);
  return { status: 'ok', message: 'The platform accepts the token.' };
}

/** Makes a check of the facts of each valid token. */
function tokenCheck(id: string, judge: (facts: TokenFacts, waba: CheckedWaba, context: CheckContext) => Judged): Check {
  return {
    id,
    run: (context) =>
      judgeWabas(context, async (waba) => {
        const token = await context.token(waba);
        if (token?.kind !== 'ok') return [skippedFor(wabaSubject(waba), token)];
        if (!token.value.isValid) {
          return [{ ...wabaSubject(waba), status: 'skipped', message: 'The platform refuses the token.' }];
        }
        return [{ ...wabaSubject(waba), ...judge(token.value, waba, context) }];
      }),
  };
}
