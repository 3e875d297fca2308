import type { Queryable } from '../database/database.ts';
import { CHAIN_START, ChainCheck, type ChainPlace, type ChainProblem } from './chain-check.ts';
import { findChainEnd, findCheckpoint, listRows } from './queries.ts';

const ROWS_AT_ONCE = 1_000;

/** The verdict about a chain. */
export interface ChainVerdict {
  /** Number of rows that were checked. */
  rows: number;
  /** The end of the chain; undefined if it has no rows. */
  end: ChainPlace | undefined;
  problem: ChainProblem | undefined;
}

/**
 * Checks every stored row of a chain. Rows appended meanwhile are left out.
 *
 * @param anchor a place that was noted earlier, outside of this database
 */
export async function verifyChain(db: Queryable, chain: string, anchor: ChainPlace | undefined): Promise<ChainVerdict> {
  for (;;) {
    const start = (await findCheckpoint(db, chain)) ?? CHAIN_START;
    const end = await findChainEnd(db, chain);
    const upTo = end?.sequence ?? Number.MAX_SAFE_INTEGER;
    const check = new ChainCheck(start, anchor);
    for (let goesOn = true; goesOn; ) {
      const rows = await listRows(db, chain, { after: check.last.sequence, upTo, limit: ROWS_AT_ONCE });
      goesOn = check.add(rows) && rows.length === ROWS_AT_ONCE;
    }
    const problem = check.end(end ?? CHAIN_START);
    // Rows that were deleted because of their age during the check look like missing ones.
    const isStill = ((await findCheckpoint(db, chain)) ?? CHAIN_START).sequence === start.sequence;
    if (problem === undefined || isStill) return { rows: check.last.sequence - start.sequence, end, problem };
  }
}
