import { randomBytes } from 'node:crypto';
import { newId } from '../core/ids.ts';
import { publishChanges } from '../database/changes/change-feed.ts';
import type { Identity, Operator, OperatorRole } from '../http/index.ts';
import type { OperatorDeps } from './change-operators.ts';
import { findOperatorOfIdentity, replaceHandle, upsertIdentity } from './identity-queries.ts';

/** An operator who signs in by the identity provider. */
export type KnownPerson = Operator & { id: string; identity: Identity };

/** Returns the operator of an identity: the stored one, or one with a new id that is not stored yet. */
export async function findIdentity(
  { db, clock }: OperatorDeps,
  person: Identity & { name: string },
  role: OperatorRole,
): Promise<KnownPerson> {
  const stored = await findOperatorOfIdentity(db, person);
  const { name, ...identity } = person;
  return { id: stored?.id ?? newId(clock.now()), name, role, expiresAt: stored?.expiresAt ?? null, identity };
}

/**
 * Stores the name, email and role of a person who has signed in at the provider. Sessions that the person has open get the role within a
 * second. Returns the hex hash that names the person's sessions; undefined if the operator is revoked.
 */
export async function admitIdentity(
  { db, clock }: OperatorDeps,
  person: KnownPerson,
): Promise<{ id: string; tokenHash: string } | undefined> {
  const handle = randomBytes(32);
  return await db.transaction(async (tx) => {
    const admitted = await upsertIdentity(tx, { ...person, handle, createdAt: new Date(clock.now()) });
    if (admitted !== undefined) await publishChanges(tx, 'operator', [admitted.tokenHash]);
    return admitted;
  });
}

/** Ends the sessions of a person who has lost the role at the provider: every node refuses them within a second. */
export async function endSessionsOf({ db }: Pick<OperatorDeps, 'db'>, identity: Identity): Promise<void> {
  await db.transaction(async (tx) => {
    const former = await replaceHandle(tx, identity, randomBytes(32));
    if (former !== undefined) await publishChanges(tx, 'operator', [former]);
  });
}
