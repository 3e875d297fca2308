import type { Queryable } from '../../database/database.ts';
import { SHARD_COUNT } from '../../leases/index.ts';

/**
 * Returns the numbers that were connected before, by any organization, and still have a message of that time in flight or with an unknown
 * outcome. Waiting messages of a released number are never sent, so a number that is not listed now never will be.
 */
export async function listNumbersBehindFormer(db: Queryable, numberIds: readonly number[]): Promise<number[]> {
  const rows = await db.query<{ number_id: number }>({
    name: 'sending_number_list_behind_former',
    // Filtered by shard: without this, both lookups scan all waiting messages.
    text: `
      SELECT n.number_id FROM sending_number n
      WHERE n.number_id = ANY($1::int[]) AND EXISTS (
        SELECT FROM sending_number f
        WHERE f.former_phone_number_id = n.phone_number_id AND f.number_id < n.number_id AND (
          EXISTS (
            SELECT FROM send_queue q
            WHERE q.shard = f.number_id % ${SHARD_COUNT} AND q.hold_until IS NOT NULL AND q.number_id = f.number_id
          )
          OR EXISTS (
            SELECT FROM dispatch_journal j
            CROSS JOIN LATERAL unnest(j.number_ids, j.flow_ids, j.seqs) AS sent(number_id, flow_id, seq)
            JOIN send_queue q ON q.number_id = sent.number_id AND q.flow_id = sent.flow_id AND q.seq = sent.seq
            WHERE j.shard = f.number_id % ${SHARD_COUNT} AND sent.number_id = f.number_id
          )
        )
      )`,
    values: [numberIds],
  });
  return rows.map((row) => row.number_id);
}
