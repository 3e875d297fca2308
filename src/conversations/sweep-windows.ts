import type { Queryable } from '../database/database.ts';
import { deletePast } from './queries.ts';

/** Some thousands of people. */
const BLOCKS_AT_ONCE = 64;

/** Forgets people whose newest message came before `beforeMs` (epoch ms), long enough ago for their windows to be closed. */
export async function sweepWindows(db: Queryable, beforeMs: number): Promise<void> {
  let firstBlock = 0;
  while (await deletePast(db, beforeMs, { firstBlock, blocks: BLOCKS_AT_ONCE })) firstBlock += BLOCKS_AT_ONCE;
}
