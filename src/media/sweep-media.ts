import type { Clock } from '../core/clock.ts';
import type { Queryable } from '../database/database.ts';
import { REMEMBERED_AFTER_MS } from './media-expiry.ts';
import { deleteExpiredMedia } from './queries.ts';

const BATCH_ROWS = 1_000;

/** Forgets the ids that expired long ago, a batch per statement. */
export async function sweepMedia(deps: { db: Queryable; clock: Clock }): Promise<void> {
  const before = new Date(deps.clock.now() - REMEMBERED_AFTER_MS);
  while ((await deleteExpiredMedia(deps.db, before, BATCH_ROWS)) === BATCH_ROWS) {
    // until less than a batch is left
  }
}
