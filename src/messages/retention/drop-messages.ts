import { firstIdAt, wamidDigest } from '../../core/ids.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import { dropPartition, listPastPartitions, type Partition } from '../../database/days/partitions.ts';
import { sqlStateOf } from '../../database/failures.ts';
import { deleteWamidRefs, hasQueuedBefore, listWamids } from './expiry-queries.ts';

const MESSAGES_AT_ONCE_MAX = 5_000;
const UNDEFINED_TABLE = '42P01';

/**
 * Drops the days of messages that ended before `beforeMs` (epoch ms), oldest first, and the references from their wamids.
 * Keeps a day with a queued message, and all later days: every accepted message is sent.
 */
export async function dropMessages(
  deps: { db: Database; clock: Pick<Clock, 'schedule'> },
  beforeMs: number,
): Promise<void> {
  const { db } = deps;
  for (const partition of await listPastPartitions(db, 'message', beforeMs)) {
    if (await hasQueuedBefore(db, firstIdAt(partition.endMs))) return;
    try {
      await dropWamidRefs(db, partition);
    } catch (error) {
      // Another node has dropped this day already.
      if (sqlStateOf(error) !== UNDEFINED_TABLE) throw error;
    }
    await dropPartition(deps, partition);
  }
}

async function dropWamidRefs(db: Database, partition: Partition): Promise<void> {
  let after = { organizationId: firstIdAt(0), id: firstIdAt(0) };
  for (;;) {
    const rows = await listWamids(db, partition.name, after, MESSAGES_AT_ONCE_MAX);
    const last = rows.at(-1);
    if (last === undefined) return;
    const digests = rows.flatMap(({ wamid }) => (wamid === null ? [] : [wamidDigest(wamid)]));
    if (digests.length > 0) await deleteWamidRefs(db, digests);
    after = last;
  }
}
