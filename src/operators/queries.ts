import type { Queryable } from '../database/database.ts';
import type { Identity, OperatorRole } from '../http/index.ts';

/** A named operator, without the token. */
export interface NamedOperator {
  id: string;
  name: string;
  role: OperatorRole;
  /** The first characters of the token, so that a person recognises it; `null` for an operator without one. */
  hint: string | null;
  /** `null` for an operator with a token. */
  identity: Identity | null;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** Time until which the token before the last rotation works. */
  previousUntil: Date | null;
  /** Correct to the hour. */
  lastUsedAt: Date | null;
}

/** The two digests of an operator's tokens, in hex. */
export interface TokenHashes {
  tokenHash: string;
  previousHash: string | null;
}

/** The identity as JSON: null for an operator with a token. */
const IDENTITY = `
  CASE WHEN issuer IS NOT NULL THEN json_build_object('issuer', issuer, 'subject', subject, 'email', email) END`;
const FIELDS = `
  id, name, role, hint, ${IDENTITY} AS identity, created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt",
  previous_until AS "previousUntil", last_used_at AS "lastUsedAt"`;
const HASHES = `encode(token_hash, 'hex') AS "tokenHash", encode(previous_token_hash, 'hex') AS "previousHash"`;

/** Stores a new operator by the SHA-256 of the token. */
export async function insertOperator(
  tx: Queryable,
  operator: Pick<NamedOperator, 'id' | 'name' | 'role' | 'hint' | 'createdAt' | 'expiresAt'> & { tokenHash: Buffer },
): Promise<void> {
  await tx.query({
    text: `
      INSERT INTO operator (id, name, role, token_hash, hint, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    values: [
      operator.id,
      operator.name,
      operator.role,
      operator.tokenHash,
      operator.hint,
      operator.createdAt,
      operator.expiresAt,
    ],
  });
}

/** Returns operators with an id below `before`, newest first, revoked ones included. */
export async function listOperators(
  db: Queryable,
  before: string | undefined,
  limit: number,
): Promise<NamedOperator[]> {
  return db.query({
    text: `SELECT ${FIELDS} FROM operator WHERE $1::uuid IS NULL OR id < $1 ORDER BY id DESC LIMIT $2`,
    values: [before, limit],
  });
}

/** Returns one operator; undefined for an unknown id. */
export async function findOperator(db: Queryable, id: string): Promise<NamedOperator | undefined> {
  const rows = await db.query<NamedOperator>({ text: `SELECT ${FIELDS} FROM operator WHERE id = $1`, values: [id] });
  return rows[0];
}

/** Applies a change to an operator that is not revoked; undefined if there is none. An absent member stays. */
export async function updateOperator(
  tx: Queryable,
  id: string,
  change: { name: string | undefined; role: OperatorRole | undefined; expiresAt: Date | null | undefined },
): Promise<(NamedOperator & TokenHashes) | undefined> {
  const rows = await tx.query<NamedOperator & TokenHashes>({
    text: `
      UPDATE operator
      SET name = coalesce($2, name), role = coalesce($3, role), expires_at = CASE WHEN $4 THEN $5 ELSE expires_at END
      WHERE id = $1 AND revoked_at IS NULL
      RETURNING ${FIELDS}, ${HASHES}`,
    values: [id, change.name, change.role, change.expiresAt !== undefined, change.expiresAt ?? null],
  });
  return rows[0];
}

/** Gives an operator that is not revoked a new token; the present one works until `previousUntil`. Undefined if there is none. */
export async function replaceToken(
  tx: Queryable,
  id: string,
  token: { hash: Buffer; hint: string; previousUntil: Date },
): Promise<(NamedOperator & TokenHashes & { droppedHash: string | null }) | undefined> {
  const rows = await tx.query<NamedOperator & TokenHashes & { droppedHash: string | null }>({
    text: `
      WITH before AS (SELECT previous_token_hash AS dropped FROM operator WHERE id = $1 FOR UPDATE)
      UPDATE operator
      SET token_hash = $2, hint = $3, previous_token_hash = token_hash, previous_until = $4
      FROM before
      WHERE id = $1 AND revoked_at IS NULL
      RETURNING ${FIELDS}, ${HASHES}, encode(dropped, 'hex') AS "droppedHash"`,
    values: [id, token.hash, token.hint, token.previousUntil],
  });
  return rows[0];
}

/** Revokes an operator and keeps the time of the first revocation; undefined for an unknown id. */
export async function revokeOperatorById(tx: Queryable, id: string, now: Date): Promise<TokenHashes | undefined> {
  const rows = await tx.query<TokenHashes>({
    text: `UPDATE operator SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 RETURNING ${HASHES}`,
    values: [id, now],
  });
  return rows[0];
}

/** An operator as a token finds it. */
export interface FoundOperator {
  id: string;
  name: string;
  role: OperatorRole;
  expiresAt: Date | null;
  identity: Identity | null;
  /** Time until which this token works: the operator's expiry, or the end of the overlap after a rotation. */
  worksUntil: Date | null;
}

/** Returns the operators that are not revoked and have a token with one of these hex SHA-256, by hash. */
export async function findOperatorsByHash(
  db: Queryable,
  hashes: readonly string[],
): Promise<Map<string, FoundOperator>> {
  const rows = await db.query<FoundOperator & { hash: string }>({
    name: 'operator_find_by_hash',
    text: `
      SELECT encode(token_hash, 'hex') AS hash, id, name, role, expires_at AS "expiresAt", ${IDENTITY}::jsonb AS identity,
             expires_at AS "worksUntil"
      FROM operator WHERE token_hash = ANY ($1::bytea[]) AND revoked_at IS NULL
      UNION ALL
      SELECT encode(previous_token_hash, 'hex'), id, name, role, expires_at, NULL, least(expires_at, previous_until)
      FROM operator WHERE previous_token_hash = ANY ($1::bytea[]) AND revoked_at IS NULL`,
    values: [hashes.map((hash) => Buffer.from(hash, 'hex'))],
  });
  return new Map(rows.map(({ hash, ...operator }) => [hash, operator]));
}

/** Stores that these operators were active at `now`, unless less than an hour ago is stored. */
export async function noteOperatorUses(db: Queryable, ids: readonly string[], now: Date): Promise<void> {
  await db.query({
    name: 'operator_note_uses',
    text: `
      UPDATE operator SET last_used_at = $2
      WHERE id = ANY ($1::uuid[]) AND (last_used_at IS NULL OR last_used_at < $2::timestamptz - interval '1 hour')`,
    values: [ids, now],
  });
}
