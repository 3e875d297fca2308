import type { Queryable } from '../../database/database.ts';
import { firstRow } from '../../database/first-row.ts';

/** Returns true if a message with an id below `id` is queued. Reads the whole queue if there is none, so do not call it in a loop. */
export async function hasQueuedBefore(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query<{ queued: boolean }>({
    name: 'queue_has_before',
    text: 'SELECT EXISTS (SELECT FROM send_queue WHERE message_id < $1) AS queued',
    values: [id],
  });
  return firstRow(rows).queued;
}

/** Returns up to `limit` messages of one partition after a key, in key order, with their wamids or null. */
export async function listWamids(
  db: Queryable,
  partition: string,
  after: { organizationId: string; id: string },
  limit: number,
): Promise<{ organizationId: string; id: string; wamid: string | null }[]> {
  return await db.query<{ organizationId: string; id: string; wamid: string | null }>({
    text: `
      SELECT organization_id AS "organizationId", id, wamid FROM ${partition}
      WHERE (organization_id, id) > ($1, $2)
      ORDER BY organization_id, id LIMIT $3`,
    values: [after.organizationId, after.id, limit],
  });
}

/** Deletes the references from these wamids to their messages. */
export async function deleteWamidRefs(db: Queryable, digests: readonly string[]): Promise<void> {
  await db.query({
    name: 'wamid_ref_delete',
    text: 'DELETE FROM wamid_ref WHERE wamid_digest = ANY ($1::uuid[])',
    values: [digests],
  });
}
