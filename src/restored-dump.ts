import type { Logger } from 'pino';
import {
  findNewestTransactionId,
  readNextTransactionId,
  skipTransactionIds,
} from './database/changes/transaction-ids.ts';
import type { Database } from './database/database.ts';
import { dealtUpTo } from './outbound-webhooks/index.ts';

/** Most ids to skip: far below the two billion at which PostgreSQL must freeze rows. Skipping them takes less than an hour. */
const SKIPPED_MAX = 100_000_000;
const SKIPPED_AT_ONCE = 20_000;
const EPOCH = 2 ** 32;

/**
 * Raises PostgreSQL's transaction ids above all ids in the data. Events are read in the order of their transaction ids. A dump may
 * bring ids into a PostgreSQL that has given out fewer: new events would then sort before those already read, and would never
 * be delivered. Throws an error that says what to do if skipping would take too long.
 */
export async function catchUpWithDump(deps: { db: Database; log: Logger }, stop?: AbortSignal): Promise<void> {
  const { db, log } = deps;
  const target = Math.max(await findNewestTransactionId(db), await dealtUpTo(db));
  for (let isFirst = true; ; isFirst = false) {
    const missing = target + 1 - (await readNextTransactionId(db));
    if (missing <= 0) return;
    if (missing > SKIPPED_MAX) throw tooFarBehind(target);
    if (isFirst) log.warn({ transactions: missing }, 'restored from a dump: catching up with its transaction ids');
    stop?.throwIfAborted();
    await skipTransactionIds(db, Math.min(missing, SKIPPED_AT_ONCE));
  }
}

function tooFarBehind(target: number): Error {
  return new Error(
    'This database was restored from a dump into a PostgreSQL whose transaction ids are too far behind. Stop that PostgreSQL, run ' +
      `pg_resetwal --epoch=${Math.floor(target / EPOCH) + 1} on its data directory, and start both again.`,
  );
}
