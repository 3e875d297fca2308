import type { Operator } from '../http/index.ts';
import { type AuditDeps, beginChange, endChange } from './record-change.ts';
import type { AuditRule } from './rules.ts';

const OPERATION = 'signIn';
const RULE: AuditRule = { kinds: ['operator'], id: { parameter: 'id' } };

/**
 * Records the sign-in of a person by the identity provider, which stores the person's name and role. A row is committed before `signIn`
 * runs, and a second one with the result. `signIn` returns undefined if it is refused.
 */
export async function recordSignIn<Session>(
  deps: AuditDeps,
  { id, ip }: { id: string; ip: string },
  person: Operator & { id: string },
  signIn: () => Promise<Session | undefined>,
): Promise<Session | undefined> {
  const request = { id, ip, params: { id: person.id }, query: {}, caller: null, operator: person };
  const begun = await beginChange(deps, RULE, OPERATION, request);
  const session = await signIn();
  const httpStatus = session === undefined ? 403 : 200;
  try {
    await endChange(deps, RULE, OPERATION, { request, httpStatus, payload: '' }, begun);
  } catch (error) {
    // The session is open, so the person gets it; the row of the change stays without a result.
    deps.log.error({ err: error, operation: OPERATION, requestId: id }, 'result of a change not recorded');
  }
  return session;
}
