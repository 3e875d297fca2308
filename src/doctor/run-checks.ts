import { credentialsOf } from '../apps/index.ts';
import { AppError } from '../core/errors.ts';
import { waitAtMost } from '../core/run/waiting.ts';
import { type AppCredentials, type CallFailure, type CallResult, webhookPathOf } from '../upstream/index.ts';
import type { Check, CheckContext, DoctorDeps, KnownApp, Verdict } from './check.ts';
import { ACCOUNT_CHECKS } from './checks/accounts.ts';
import { APP_CHECKS } from './checks/apps.ts';
import { GATEWAY_CHECKS } from './checks/gateway.ts';
import { IDENTITY_PROVIDER_CHECKS } from './checks/identity-provider.ts';
import { PLATFORM_CHECKS } from './checks/platform.ts';
import { POSTGRES_CHECKS } from './checks/postgres.ts';
import { PUBLIC_URL_CHECKS, readPublicUrl } from './checks/public-url.ts';
import { TOKEN_CHECKS } from './checks/tokens.ts';
import { mapBounded } from './map-bounded.ts';
import { type CheckedWaba, listCheckedWabas, type Selection } from './queries.ts';

/** Every check, in the order of the answer. */
export const CHECKS: readonly Check[] = [
  ...POSTGRES_CHECKS,
  ...GATEWAY_CHECKS,
  ...PUBLIC_URL_CHECKS,
  ...IDENTITY_PROVIDER_CHECKS,
  ...PLATFORM_CHECKS,
  ...APP_CHECKS,
  ...TOKEN_CHECKS,
  ...ACCOUNT_CHECKS,
];

/** A verdict with the check it comes from. */
export interface Finding extends Verdict {
  check: string;
}

/** Business accounts of one run. Each costs three management calls of its hourly budget of 200 or more. */
const WABAS_MAX = 50;
const CHECK_MS_MAX = 15_000;
const CHECKS_AT_ONCE = 4;

/** Runs all checks, or the one named `check`. A check that throws or takes longer than 15 s becomes a warning of its own. */
export async function runChecks(
  deps: DoctorDeps,
  selection: Selection & { check?: string | undefined },
): Promise<Finding[]> {
  const context = createContext(deps, selection);
  const checks = CHECKS.filter(({ id }) => selection.check === undefined || id === selection.check);
  const verdicts = await mapBounded(checks, CHECKS_AT_ONCE, async (check) =>
    (await runCheck(check, context)).map((verdict) => ({ check: check.id, ...verdict })),
  );
  return verdicts.flat();
}

async function runCheck(check: Check, context: CheckContext): Promise<Verdict[]> {
  const unjudged = (message: string): Verdict[] => [
    { subject: 'gateway', status: 'warning', message, advice: 'Run the check again; see the log if it repeats.' },
  ];
  let verdicts = unjudged(`The check did not end within ${CHECK_MS_MAX / 1_000} seconds.`);
  const judged = (async () => {
    try {
      verdicts = await check.run(context);
    } catch {
      verdicts = unjudged('The check could not be run.');
    }
  })();
  await waitAtMost(context.clock, CHECK_MS_MAX, judged);
  return verdicts;
}

/** Prepares the facts of one run. */
export function createContext(deps: DoctorDeps, selection: Selection): CheckContext {
  const { db, upstream, settings, apps } = deps;
  const [secret] = settings.appSecrets;
  const credentials = settings.appId === null || secret === undefined ? undefined : { id: settings.appId, secret };
  const app = once(() => credentials && upstream.readAppWebhooks(credentials));
  const accessToken = once(async (waba: CheckedWaba) => await findToken(deps, waba), keyOf);
  /** Makes a call with an account's token, unless the platform did not even answer the call about the app. */
  const ask = async <T>(waba: CheckedWaba, call: (token: string) => Promise<CallResult<T>>): Promise<CallResult<T>> => {
    const answered = await app();
    if (answered?.kind === 'unavailable') return answered;
    const token = await accessToken(waba);
    return token === undefined ? NOT_ASKED : await call(token);
  };
  return {
    ...deps,
    selection,
    wabas: once(() => listCheckedWabas(db, selection, WABAS_MAX)),
    publicUrl: once(() => readPublicUrl(settings)),
    app,
    knownApps: once(async () => await listKnownApps(deps, credentials, await app())),
    isTokenReadable: async (waba) => (await accessToken(waba)) !== undefined,
    token: once(async (waba) => {
      const further = (await apps.list()).find(({ appId }) => appId === waba.appId);
      const inspecting = further === undefined ? credentials : credentialsOf(further);
      return inspecting && (await ask(waba, (token) => upstream.debugToken(inspecting, token)));
    }, keyOf),
    subscription: once((waba) => ask(waba, (token) => upstream.readSubscription(waba.wabaId, token)), keyOf),
    numbers: once((waba) => ask(waba, (token) => upstream.readNumberHealth(waba.wabaId, token)), keyOf),
  };
}

/** Returns the apps whose id and secret are known, with the platform's answer about each. */
async function listKnownApps(
  { apps, upstream, settings }: DoctorDeps,
  own: AppCredentials | undefined,
  ownAnswer: KnownApp['answer'] | undefined,
): Promise<KnownApp[]> {
  const first =
    own === undefined || ownAnswer === undefined
      ? []
      : [
          {
            subject: 'app',
            credentials: own,
            verifyToken: settings.verifyToken,
            webhookPath: webhookPathOf(null),
            answer: ownAnswer,
          },
        ];
  const further = await mapBounded(await apps.list(), CHECKS_AT_ONCE, async (app) => ({
    subject: `app ${app.appId}`,
    credentials: credentialsOf(app),
    verifyToken: app.verifyToken,
    webhookPath: webhookPathOf(app.appId),
    answer: await upstream.readAppWebhooks(credentialsOf(app)),
  }));
  return [...first, ...further];
}

/** The result of a call that was not made, because its token cannot be opened. */
const NOT_ASKED: CallFailure = {
  kind: 'unavailable',
  reason: 'not_configured',
  retryAfterMs: null,
  mayHaveHappened: false,
};

/** Returns an account's token; undefined if no key opens it or the account was disconnected meanwhile. */
async function findToken(
  { tokenOf }: DoctorDeps,
  { organizationId, wabaId }: CheckedWaba,
): Promise<string | undefined> {
  try {
    return (await tokenOf(organizationId, wabaId)).token;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function keyOf({ wabaId }: CheckedWaba): string {
  return wabaId;
}

/** Wraps `read` so that it runs once for each key. */
function once<Args extends unknown[], T>(read: (...args: Args) => T, keyOf?: (...args: Args) => string) {
  const known = new Map<string, T>();
  return (...args: Args): T => {
    const key = keyOf?.(...args) ?? '';
    const found = known.has(key) ? (known.get(key) as T) : read(...args);
    known.set(key, found);
    return found;
  };
}
