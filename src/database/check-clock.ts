import type { Clock } from '../core/clock.ts';
import type { Queryable } from './database.ts';

const DIFFERENCE_MS_MAX = 10 * 60 * 1000;

/**
 * Throws when this machine's clock and PostgreSQL's differ by more than ten minutes. Windows, expiry and retention go by the one,
 * leases and the days of events by the other: with a clock months ahead, what is to be kept for months would be dropped at once.
 */
export async function checkClock(deps: { db: Queryable; clock: Pick<Clock, 'now'> }): Promise<void> {
  const [row] = await deps.db.query<{ atMs: number }>({
    text: `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "atMs"`,
  });
  const aheadMs = deps.clock.now() - (row?.atMs ?? Number.NaN);
  if (Math.abs(aheadMs) <= DIFFERENCE_MS_MAX) return;
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  throw new Error(
    `The clock of this machine is ${minutes} minutes ${aheadMs > 0 ? 'ahead of' : 'behind'} that of PostgreSQL. ` +
      'Messages expire and history is dropped by these clocks: set the one that is wrong.',
  );
}
