import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import { deleteOlder } from '../../database/days/delete-older.ts';

/** The digest of an Idempotency-Key and its scope: one number of one organization. */
export interface IdempotencyKey {
  organizationId: string;
  numberId: number;
  keyDigest: string;
}

export const KEYS = arrayTable<IdempotencyKey>()({
  organization_id: ['uuid', (key) => key.organizationId],
  number_id: ['int', (key) => key.numberId],
  key_digest: ['uuid', (key) => key.keyDigest],
});

/** Returns the keys among `keys` that already have a message. */
export async function findTakenKeys(tx: Queryable, keys: readonly IdempotencyKey[]): Promise<IdempotencyKey[]> {
  return await tx.query<IdempotencyKey>({
    name: 'idempotency_find_taken',
    text: `
      SELECT organization_id AS "organizationId", number_id AS "numberId", key_digest AS "keyDigest"
      FROM ${KEYS.from('w')}
      JOIN idempotency_key k USING (organization_id, number_id, key_digest)`,
    values: KEYS.values(keys),
  });
}

/** Returns the message of an idempotency key, and the fingerprint of the body that claimed it. */
export async function findReplay(
  db: Queryable,
  organizationId: string,
  numberId: number,
  keyDigest: string,
): Promise<{ messageId: string; fingerprint: string } | undefined> {
  const rows = await db.query<{ message_id: string; fingerprint: string }>({
    name: 'idempotency_find',
    text: `SELECT message_id, fingerprint FROM idempotency_key
           WHERE organization_id = $1 AND number_id = $2 AND key_digest = $3`,
    values: [organizationId, numberId, keyDigest],
  });
  const row = rows[0];
  return row && { messageId: row.message_id, fingerprint: row.fingerprint };
}

/** Deletes idempotency keys first used before `beforeMs` (epoch ms). A deleted key counts as new if it is used again. */
export function sweepIdempotencyKeys(db: Queryable, beforeMs: number): Promise<void> {
  return deleteOlder(db, 'idempotency_key', 'created_at', beforeMs);
}
