import { newId } from '../core/ids.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../database/database.ts';
import { appendRow, deleteBeginning, listChainsBefore, lockChain } from './queries.ts';

const ROWS_AT_ONCE = 5_000;

/**
 * Deletes audit rows from before `beforeMs` (epoch ms), and appends a checkpoint to each chain in the transaction that deletes. With it
 * the rest of the chain stays verifiable.
 */
export async function dropPastEntries(
  { db, clock }: { db: Database; clock: Pick<Clock, 'now'> },
  beforeMs: number,
): Promise<void> {
  const before = new Date(beforeMs);
  for (const chain of await listChainsBefore(db, before)) {
    for (let goesOn = true; goesOn; ) {
      goesOn = await db.transaction(async (tx) => {
        await lockChain(tx, chain);
        const last = await deleteBeginning(tx, chain, before, ROWS_AT_ONCE);
        if (last === undefined) return false;
        const nowMs = clock.now();
        const head = {
          id: newId(nowMs),
          at: new Date(nowMs).toISOString(),
          kind: 'checkpoint',
          of_sequence: null,
        } as const;
        await appendRow(tx, chain, head, { deleted_up_to: last.sequence, digest: last.digest.toString('hex') });
        return true;
      });
    }
  }
}
