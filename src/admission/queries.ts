import type { Queryable } from '../database/database.ts';
import { firstRow } from '../database/first-row.ts';

/** The number of messages an organization has queued, counted up to `max`, which bounds the cost. */
export async function countQueued(db: Queryable, organizationId: string, max: number): Promise<number> {
  const rows = await db.query<{ queued: number }>({
    name: 'queue_count_organization',
    text: `
      SELECT count(*) AS queued FROM (
        SELECT FROM sending_number n JOIN send_queue q ON q.number_id = n.number_id
        WHERE n.organization_id = $1 LIMIT $2
      ) counted`,
    values: [organizationId, max],
  });
  return firstRow(rows).queued;
}
