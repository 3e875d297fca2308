import type { Queryable } from '../database/database.ts';

/** A session as stored. Hashes are in hex. */
export interface StoredSession {
  sessionHash: string;
  ownerKind: 'admin_token' | 'operator' | 'api_key';
  tokenHash: string;
  openedAt: Date;
  usedAt: Date;
  expiresAt: Date;
}

/** Stores a session. */
export async function insertSession(tx: Queryable, session: StoredSession): Promise<void> {
  await tx.query({
    text: `
      INSERT INTO console_session (session_hash, owner_kind, token_hash, opened_at, used_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6)`,
    values: [
      Buffer.from(session.sessionHash, 'hex'),
      session.ownerKind,
      Buffer.from(session.tokenHash, 'hex'),
      session.openedAt,
      session.usedAt,
      session.expiresAt,
    ],
  });
}

/** Deletes sessions past `now`, and the oldest of one token beyond `keptMax`. Returns the hashes of the latter. */
export async function deleteSurplusSessions(
  tx: Queryable,
  { tokenHash, keptMax, now }: { tokenHash: string; keptMax: number; now: Date },
): Promise<string[]> {
  await tx.query({ text: 'DELETE FROM console_session WHERE expires_at <= $1', values: [now] });
  const rows = await tx.query<{ hash: string }>({
    text: `
      DELETE FROM console_session WHERE session_hash IN (
        SELECT session_hash FROM console_session WHERE token_hash = $1 ORDER BY opened_at DESC OFFSET $2)
      RETURNING encode(session_hash, 'hex') AS hash`,
    values: [Buffer.from(tokenHash, 'hex'), keptMax],
  });
  return rows.map(({ hash }) => hash);
}

/** Deletes a session. */
export async function deleteSession(tx: Queryable, sessionHash: string): Promise<void> {
  await tx.query({
    text: 'DELETE FROM console_session WHERE session_hash = $1',
    values: [Buffer.from(sessionHash, 'hex')],
  });
}

/** Returns sessions by their hex hash. */
export async function findSessions(db: Queryable, hashes: readonly string[]): Promise<Map<string, StoredSession>> {
  const rows = await db.query<StoredSession>({
    name: 'console_session_find',
    text: `
      SELECT encode(session_hash, 'hex') AS "sessionHash", owner_kind AS "ownerKind", encode(token_hash, 'hex') AS "tokenHash",
             opened_at AS "openedAt", used_at AS "usedAt", expires_at AS "expiresAt"
      FROM console_session WHERE session_hash = ANY ($1::bytea[])`,
    values: [hashes.map((hash) => Buffer.from(hash, 'hex'))],
  });
  return new Map(rows.map((session) => [session.sessionHash, session]));
}

/** Stores that these sessions were used at `now`. */
export async function noteSessionUses(db: Queryable, hashes: readonly string[], now: Date): Promise<void> {
  await db.query({
    name: 'console_session_note_uses',
    text: 'UPDATE console_session SET used_at = greatest(used_at, $2) WHERE session_hash = ANY ($1::bytea[])',
    values: [hashes.map((hash) => Buffer.from(hash, 'hex')), now],
  });
}

/** The words by which a person recognizes an API key. */
export interface KeyNames {
  keyName: string | null;
  hint: string;
  organizationName: string;
  scopes: string[] | null;
  phoneNumberIds: string[] | null;
}

/** Returns the names of an organization's key. */
export async function findKeyNames(
  db: Queryable,
  organizationId: string,
  apiKeyId: string,
): Promise<KeyNames | undefined> {
  const rows = await db.query<KeyNames>({
    text: `
      SELECT k.name AS "keyName", k.hint, o.name AS "organizationName", k.scopes, k.phone_number_ids AS "phoneNumberIds"
      FROM api_key k JOIN organization o ON o.id = k.organization_id
      WHERE k.organization_id = $1 AND k.id = $2`,
    values: [organizationId, apiKeyId],
  });
  return rows[0];
}
