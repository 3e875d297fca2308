import type { Queryable } from '../database/database.ts';
import { deletePast } from './queries.ts';

/** Some thousands of conversations. */
const BLOCKS_AT_ONCE = 64;

/** Deletes all windows whose newest opening came before `beforeMs` (epoch ms), long enough ago that they are closed. */
export async function sweepWindows(db: Queryable, beforeMs: number): Promise<void> {
  for (const table of ['conversation', 'group_window'] as const) {
    let firstBlock = 0;
    while (await deletePast(db, table, beforeMs, { firstBlock, blocks: BLOCKS_AT_ONCE })) firstBlock += BLOCKS_AT_ONCE;
  }
}
