import { sha256 } from '../core/digest.ts';
import { AppError, invalid } from '../core/errors.ts';
import { isUuid, newId } from '../core/ids.ts';
import type { Clock } from '../core/time/clock.ts';
import { publishChanges } from '../database/changes/change-feed.ts';
import type { Database } from '../database/database.ts';
import { hintOf, makeToken, OPERATOR_TOKEN_PREFIX, type OperatorRole } from '../http/index.ts';
import {
  findOperator,
  insertOperator,
  type NamedOperator,
  replaceToken,
  revokeOperatorById,
  type TokenHashes,
  updateOperator,
} from './queries.ts';

export interface OperatorDeps {
  db: Database;
  clock: Clock;
}

/** Creates an operator. `token` is the secret itself; it cannot be read again, because only its hash is stored. */
export async function createOperator(
  { db, clock }: OperatorDeps,
  input: { name: string; role: OperatorRole; expiresAt: Date | null },
): Promise<NamedOperator & { token: string }> {
  checkExpiry(input.expiresAt, clock);
  const token = makeToken(OPERATOR_TOKEN_PREFIX);
  const nowMs = clock.now();
  const operator = {
    ...input,
    id: newId(nowMs),
    hint: hintOf(OPERATOR_TOKEN_PREFIX, token),
    createdAt: new Date(nowMs),
  };
  await insertOperator(db, { ...operator, tokenHash: sha256(token) });
  return { ...operator, token, identity: null, revokedAt: null, previousUntil: null, lastUsedAt: null };
}

/** Returns one operator. Raises NOT_FOUND. */
export async function getOperator({ db }: Pick<OperatorDeps, 'db'>, id: string): Promise<NamedOperator> {
  const operator = isUuid(id) ? await findOperator(db, id) : undefined;
  if (operator === undefined) throw notFound();
  return operator;
}

/**
 * Changes the name, role or expiry of an operator; absent members stay. Raises NOT_FOUND, also for a revoked one, and CONFLICT for a name or
 * role that the identity provider states.
 */
export async function changeOperator(
  { db, clock }: OperatorDeps,
  id: string,
  change: { name: string | undefined; role: OperatorRole | undefined; expiresAt: Date | null | undefined },
): Promise<NamedOperator> {
  checkExpiry(change.expiresAt ?? null, clock);
  if (change.name !== undefined || change.role !== undefined) await checkHasToken(db, id);
  if (!isUuid(id)) throw notFound();
  return await db.transaction(async (tx) => {
    const changed = await updateOperator(tx, id, change);
    if (changed === undefined) throw notFound();
    await publishChanges(tx, 'operator', hashesOf(changed));
    return changed;
  });
}

/**
 * Gives an operator a new token. The present one works for `overlapMs` more, an earlier one no longer. Raises NOT_FOUND, and CONFLICT for an
 * operator who signs in by the identity provider: a token would outlive the person's account there.
 */
export async function rotateToken(
  { db, clock }: OperatorDeps,
  id: string,
  overlapMs: number,
): Promise<NamedOperator & { token: string }> {
  await checkHasToken(db, id);
  const token = makeToken(OPERATOR_TOKEN_PREFIX);
  const next = {
    hash: sha256(token),
    hint: hintOf(OPERATOR_TOKEN_PREFIX, token),
    previousUntil: new Date(clock.now() + overlapMs),
  };
  return await db.transaction(async (tx) => {
    const changed = await replaceToken(tx, id, next);
    if (changed === undefined) throw notFound();
    const { droppedHash, ...operator } = changed;
    await publishChanges(tx, 'operator', [...hashesOf(changed), ...(droppedHash === null ? [] : [droppedHash])]);
    return { ...operator, token };
  });
}

/** Revokes an operator for good; every node refuses the tokens within a second. A repeated call changes nothing. Raises NOT_FOUND. */
export async function revokeOperator({ db, clock }: OperatorDeps, id: string): Promise<void> {
  if (!isUuid(id)) throw notFound();
  await db.transaction(async (tx) => {
    const revoked = await revokeOperatorById(tx, id, new Date(clock.now()));
    if (revoked === undefined) throw notFound();
    await publishChanges(tx, 'operator', hashesOf(revoked));
  });
}

async function checkHasToken(db: Database, id: string): Promise<void> {
  const { identity } = await getOperator({ db }, id);
  if (identity === null) return;
  throw new AppError(
    'CONFLICT',
    'This operator signs in by the identity provider, which states the name and the role.',
  );
}

function hashesOf({ tokenHash, previousHash }: TokenHashes): string[] {
  return previousHash === null ? [tokenHash] : [tokenHash, previousHash];
}

function checkExpiry(expiresAt: Date | null, clock: Clock): void {
  if (expiresAt !== null && expiresAt.getTime() <= clock.now()) throw invalid('"expires_at" must be in the future.');
}

function notFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no operator with this id.');
}
