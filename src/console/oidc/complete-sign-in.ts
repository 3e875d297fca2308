import type { Logger } from 'pino';
import { type AuditDeps, recordSignIn } from '../../audit/index.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { ChangeFeed } from '../../database/changes/change-feed.ts';
import type { Database } from '../../database/database.ts';
import type { OperatorRole, SignInLimit } from '../../http/index.ts';
import { admitIdentity, endSessionsOf, findIdentity } from '../../operators/index.ts';
import type { OpenSession, Sessions } from '../sessions.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { ProviderFailure } from './provider-failure.ts';
import { type Person, readPerson, roleOf } from './read-person.ts';
import { type Refusal, refusalFor, refusalWithoutRole } from './refusal.ts';
import type { PendingSignIn } from './sign-in-cookie.ts';

export interface SignInDeps {
  provider: IdentityProvider;
  db: Database;
  changes: Pick<ChangeFeed, 'catchUp'>;
  clock: Clock;
  log: Logger;
  sessions: Sessions;
  signInLimit: SignInLimit;
}

/** The return of a browser from the provider. */
interface Return {
  request: { id: string; ip: string };
  /** Address of the return, with the parameters that the provider added. */
  callback: URL;
  /** The sign-in that this browser began; undefined if there is none, or it has expired. */
  pending: PendingSignIn | undefined;
}

/** Completes a sign-in: redeems the code, judges the person's role, and opens a session. Returns its secret, or the refusal. */
export async function completeSignIn(
  deps: SignInDeps,
  { request, callback, pending }: Return,
): Promise<{ secret: string; session: OpenSession } | { refusal: Refusal }> {
  const { provider, signInLimit, clock, log } = deps;
  const refuse = (refusal: Refusal, more: { code?: string; subject?: string } = {}) => {
    log.warn({ requestId: request.id, reason: refusal.reason, ...more }, 'sign-in by the identity provider refused');
    return { refusal };
  };
  // Not logged: anybody can call the address of the return.
  if (pending === undefined || callback.searchParams.get('state') !== pending.state) {
    return { refusal: refusalFor('expired') };
  }
  // Each attempt costs a call of the provider, so it counts before its outcome is known.
  if (signInLimit.failed(request.ip, clock.monotonicMs()) > 0) return refuse(refusalFor('limited'));
  try {
    const claims = await provider.redeem(callback, pending);
    const person = readPerson(claims);
    if (person === undefined) return refuse(refusalFor('refused'), { code: 'sub' });
    const { subject } = person;
    const role = roleOf(claims, provider.settings);
    if (role === undefined) {
      await endSessionsOf(deps, person);
      await deps.changes.catchUp();
      return refuse(refusalWithoutRole(person, provider.settings), { subject });
    }
    const opened = await openSession(deps, request, person, role);
    return opened ?? refuse(refusalFor('revoked', person), { subject });
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    return refuse(refusalFor(error.kind), { code: error.message });
  }
}

/** Stores the person and opens a session, both under one entry of the audit log. Undefined if the operator is revoked or expired. */
async function openSession(
  deps: SignInDeps & AuditDeps,
  request: Return['request'],
  person: Person,
  role: OperatorRole,
): ReturnType<Sessions['open']> {
  const operator = await findIdentity(deps, person, role);
  return await recordSignIn(deps, request, operator, async () => {
    const admitted = await admitIdentity(deps, operator);
    // Without this, the sessions of this node would have the former role for a moment.
    await deps.changes.catchUp();
    return admitted && (await deps.sessions.open({ kind: 'operator', tokenHash: admitted.tokenHash }));
  });
}
