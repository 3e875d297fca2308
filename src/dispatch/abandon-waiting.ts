import type { Clock } from '../core/clock.ts';
import type { Database } from '../database/database.ts';
import type { Abandonment, Outbox } from './outbox.ts';
import { listCancelled, listExpired } from './queue-queries.ts';
import type { QueueRow } from './queue-row.ts';

export interface AbandonDeps {
  db: Database;
  clock: Clock;
  outbox: Pick<Outbox, 'abandon'>;
}

/** So few that results of what was sent need not wait long behind them. */
const ENDED_AT_ONCE_MAX = 256;
const EXPIRED_PAGE = 256;
/** To find some may mean to read all that are cancelled. */
const CANCELLED_PAGE = 4_096;

/** Fails the messages of these numbers that are not to be sent any more: the cancelled ones, and those that outlived their time. */
export async function abandonWaiting({ db, clock, outbox }: AbandonDeps, numberIds: number[]): Promise<void> {
  if (numberIds.length === 0) return;
  const abandonAll = async (why: Abandonment, list: () => Promise<QueueRow[]>, page: number) => {
    for (;;) {
      const rows = await list();
      let ended = 0;
      for (let first = 0; first < rows.length; first += ENDED_AT_ONCE_MAX) {
        const part = rows.slice(first, first + ENDED_AT_ONCE_MAX);
        ended += (await Promise.all(part.map((row) => outbox.abandon(row, why)))).filter(Boolean).length;
      }
      // When none could be ended, the same would be found again.
      if (rows.length < page || ended === 0) return;
    }
  };
  await abandonAll('cancelled', () => listCancelled(db, numberIds, CANCELLED_PAGE), CANCELLED_PAGE);
  await abandonAll('expired', () => listExpired(db, numberIds, clock.now(), EXPIRED_PAGE), EXPIRED_PAGE);
}
