import { waitAtMost } from '../core/run/waiting.ts';
import type { Check, CheckContext, DoctorDeps, Verdict } from './check.ts';
import { ACCOUNT_CHECKS } from './checks/accounts.ts';
import { GATEWAY_CHECKS } from './checks/gateway.ts';
import { PLATFORM_CHECKS } from './checks/platform.ts';
import { POSTGRES_CHECKS } from './checks/postgres.ts';
import { PUBLIC_URL_CHECKS, readPublicUrl } from './checks/public-url.ts';
import { TOKEN_CHECKS } from './checks/tokens.ts';
import { type CheckedWaba, listCheckedWabas, type Selection } from './queries.ts';

/** Every check, in the order of the answer. */
export const CHECKS: readonly Check[] = [
  ...POSTGRES_CHECKS,
  ...GATEWAY_CHECKS,
  ...PUBLIC_URL_CHECKS,
  ...PLATFORM_CHECKS,
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
  const findings = new Map<string, Finding[]>();
  const waiting = checks.values();
  const work = async () => {
    for (const check of waiting) {
      const verdicts = await runCheck(check, context);
      findings.set(
        check.id,
        verdicts.map((verdict) => ({ check: check.id, ...verdict })),
      );
    }
  };
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, work));
  return checks.flatMap(({ id }) => findings.get(id) ?? []);
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
  const { db, upstream, settings, tokenOf } = deps;
  const [secret] = settings.appSecrets;
  const app = settings.appId === null || secret === undefined ? undefined : { id: settings.appId, secret };
  const readToken = async ({ organizationId, wabaId }: CheckedWaba) => (await tokenOf(organizationId, wabaId)).token;
  const of = ({ wabaId }: CheckedWaba) => wabaId;
  return {
    ...deps,
    selection,
    wabas: once(() => listCheckedWabas(db, selection, WABAS_MAX)),
    publicUrl: once(() => readPublicUrl(settings)),
    app: once(() => app && upstream.readAppWebhooks(app)),
    token: once(async (waba) => app && (await upstream.debugToken(app, await readToken(waba))), of),
    subscription: once(async (waba) => await upstream.readSubscription(waba.wabaId, await readToken(waba)), of),
    numbers: once(async (waba) => await upstream.readNumberHealth(waba.wabaId, await readToken(waba)), of),
  };
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
