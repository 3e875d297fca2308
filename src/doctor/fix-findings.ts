import type { CheckContext, DoctorDeps } from './check.ts';
import { REQUIRED_FIELDS } from './checks/apps.ts';
import type { Selection } from './queries.ts';
import { createContext, type Finding, runChecks } from './run-checks.ts';

/** The repair of one finding. */
export interface Fix {
  check: string;
  subject: string;
  isDone: boolean;
  message: string;
}

export interface FixDeps extends DoctorDeps {
  /** Reads a business account again. */
  syncWaba: (wabaId: string) => Promise<unknown>;
}

/**
 * Repairs the faults that need nothing from another system: subscribes the fields of apps and business accounts, and reads
 * business accounts again. Every repair may be repeated. One that fails does not stop the others.
 */
export async function fixFindings(
  deps: FixDeps,
  selection: Selection & { check?: string | undefined },
): Promise<Fix[]> {
  const findings = await runChecks(deps, selection);
  const context = createContext(deps, selection);
  const fixes: Fix[] = [];
  for (const finding of findings.filter(({ isFixable }) => isFixable)) {
    const { check, subject } = finding;
    const problem = await fix(deps, context, finding).catch(() => 'the repair failed; see the log');
    fixes.push({ check, subject, isDone: problem === undefined, message: problem ?? 'Repaired.' });
  }
  return fixes;
}

/** Repairs one finding. Returns the problem if it could not. */
async function fix(deps: FixDeps, context: CheckContext, { check, subject }: Finding): Promise<string | undefined> {
  switch (check) {
    case 'app-fields':
    case 'app-callback':
      return await subscribeFields(context, subject);
    case 'waba-subscription': {
      const waba = await wabaOf(context, subject);
      const { token } = await deps.tokenOf(waba.organizationId, waba.wabaId);
      const subscribed = await deps.upstream.subscribeApp(waba.wabaId, token);
      if (subscribed.kind !== 'ok') return `The platform did not subscribe the app (${subscribed.kind}).`;
      await deps.syncWaba(waba.wabaId);
      return undefined;
    }
    case 'template-sync':
      await deps.syncWaba((await wabaOf(context, subject)).wabaId);
      return undefined;
    default:
      return 'This finding has no repair.';
  }
}

/** Subscribes an app to the required fields beside those it has, at its own address. */
async function subscribeFields(
  { knownApps, settings: { publicUrl }, upstream }: CheckContext,
  subject: string,
): Promise<string | undefined> {
  const app = (await knownApps()).find((known) => known.subject === subject);
  if (app?.answer.kind !== 'ok' || publicUrl === null) return 'The subscription of the app could not be read.';
  const fields = [...new Set([...app.answer.value.fields, ...REQUIRED_FIELDS])];
  const { credentials, verifyToken, webhookPath } = app;
  const callbackUrl = `${publicUrl}${webhookPath}`;
  const done = await upstream.subscribeAppFields(credentials, { callbackUrl, verifyToken, fields });
  return done.kind === 'ok' ? undefined : `The platform did not subscribe the fields (${done.kind}).`;
}

async function wabaOf({ wabas }: CheckContext, subject: string) {
  const found = (await wabas()).find(({ wabaId }) => subject === `waba ${wabaId}`);
  if (found === undefined) throw new Error('the business account has been disconnected meanwhile');
  return found;
}
