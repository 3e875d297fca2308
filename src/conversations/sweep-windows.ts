import type { Queryable } from '../database/database.ts';
import { deletePast } from './queries.ts';

/** Some thousands of conversations. */
const BLOCKS_AT_ONCE = 64;

/** Deletes all conversations whose newest message came before `beforeMs` (epoch ms), long enough ago that their windows are closed. */
export async function sweepWindows(db: Queryable, beforeMs: number): Promise<void> {
  let firstBlock = 0;
  while (await deletePast(db, beforeMs, { firstBlock, blocks: BLOCKS_AT_ONCE })) firstBlock += BLOCKS_AT_ONCE;
}
