import type { Queryable } from '../database/database.ts';
import type { Identity, OperatorRole } from '../http/index.ts';

type Key = Pick<Identity, 'issuer' | 'subject'>;

/** Returns the id and expiry of an identity's operator, also of a revoked one; undefined if the person has never signed in. */
export async function findOperatorOfIdentity(
  db: Queryable,
  { issuer, subject }: Key,
): Promise<{ id: string; expiresAt: Date | null } | undefined> {
  const rows = await db.query<{ id: string; expiresAt: Date | null }>({
    text: 'SELECT id, expires_at AS "expiresAt" FROM operator WHERE issuer = $1 AND subject = $2',
    values: [issuer, subject],
  });
  return rows[0];
}

/**
 * Stores a person as an operator, or the name, email and role of one who is stored. Returns the id and the hex handle of the sessions;
 * undefined if the operator is revoked. `handle` is used for a new operator only.
 */
export async function upsertIdentity(
  tx: Queryable,
  {
    id,
    name,
    role,
    identity: { issuer, subject, email },
    handle,
    createdAt,
  }: { id: string; name: string; role: OperatorRole; identity: Identity; handle: Buffer; createdAt: Date },
): Promise<{ id: string; tokenHash: string } | undefined> {
  const rows = await tx.query<{ id: string; tokenHash: string }>({
    text: `
      INSERT INTO operator AS o (id, name, role, token_hash, hint, created_at, issuer, subject, email)
      VALUES ($1, $2, $3, $4, NULL, $5, $6, $7, $8)
      ON CONFLICT (issuer, subject) DO UPDATE SET name = excluded.name, role = excluded.role, email = excluded.email
      WHERE o.revoked_at IS NULL
      RETURNING id, encode(token_hash, 'hex') AS "tokenHash"`,
    values: [id, name, role, handle, createdAt, issuer, subject, email],
  });
  return rows[0];
}

/** Gives the operator of an identity a new handle. Returns the former one in hex; undefined if there is no such operator. */
export async function replaceHandle(
  tx: Queryable,
  { issuer, subject }: Key,
  handle: Buffer,
): Promise<string | undefined> {
  const rows = await tx.query<{ former: string }>({
    text: `
      WITH before AS (SELECT id, token_hash FROM operator WHERE issuer = $1 AND subject = $2 FOR UPDATE)
      UPDATE operator o SET token_hash = $3 FROM before WHERE o.id = before.id
      RETURNING encode(before.token_hash, 'hex') AS former`,
    values: [issuer, subject, handle],
  });
  return rows[0]?.former;
}
