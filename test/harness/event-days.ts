import type { Database } from '../../src/database/database.ts';
import { ensurePartitions } from '../../src/database/days/partitions.ts';

/** Creates the event partitions of today, for tests that write templates or numbers without a whole gateway. */
export async function makeEventDays(db: Database): Promise<void> {
  const boundAt = (epochMs: number) => new Date(epochMs).toISOString();
  await ensurePartitions(db, [{ table: 'event', boundAt }], Date.now());
}
