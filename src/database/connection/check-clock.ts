import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import { SteadyClock } from '../../core/time/steady-clock.ts';
import type { Queryable } from '../database.ts';
import { firstRow } from '../first-row.ts';

const MINUTE_MS = 60_000;
const DIFFERENCE_MS_MAX = 10 * MINUTE_MS;
/** Difference worth a warning: webhooks are signed by this machine's clock, and receivers refuse signatures 5 minutes off. */
const NOTABLE_MS = 30_000;

/**
 * Throws if the clocks of this machine and PostgreSQL differ by more than ten minutes. Windows, expiry and retention follow this
 * machine's clock; leases and the days of events follow PostgreSQL's. With a clock months ahead, months of retained data would be dropped
 * at once.
 */
export async function checkClock(deps: { db: Queryable; clock: Pick<Clock, 'now'> }): Promise<void> {
  const aheadMs = deps.clock.now() - (await readDatabaseTime(deps.db));
  if (Math.abs(aheadMs) <= DIFFERENCE_MS_MAX) return;
  throw new Error(
    `The clock of this machine is ${describe(aheadMs)} that of PostgreSQL. ` +
      'Messages expire and history is dropped by these clocks: set the one that is wrong.',
  );
}

/**
 * Lets a steady clock follow the machine's, if that clock and PostgreSQL's differ by at most ten minutes. Any other clock is left alone.
 * While they differ by more, one of them was set wrong, and the steady clock goes on evenly. Returns true if both clocks moved together
 * by more than ten minutes. A difference above 30 s is logged.
 */
export async function followClock(deps: { db: Queryable; clock: Clock; log: Logger }): Promise<boolean> {
  const { db, clock, log } = deps;
  if (!(clock instanceof SteadyClock)) return false;
  const aheadMs = clock.machineNow() - (await readDatabaseTime(db));
  if (Math.abs(aheadMs) > DIFFERENCE_MS_MAX) {
    log.error(`the clock of this machine is ${describe(aheadMs)} that of PostgreSQL: one of them was set wrong`);
    return false;
  }
  if (Math.abs(aheadMs) > NOTABLE_MS) {
    log.warn(`the clock of this machine is ${describe(aheadMs)} that of PostgreSQL: set the one that is wrong`);
  }
  const movedMs = clock.follow();
  const hasLeapt = Math.abs(movedMs) > DIFFERENCE_MS_MAX;
  if (hasLeapt)
    log.error(`the clocks of this machine and of PostgreSQL are both ${describe(movedMs)} the time expected`);
  return hasLeapt;
}

/** The time of PostgreSQL's clock, in epoch ms. */
export async function readDatabaseTime(db: Queryable): Promise<number> {
  const rows = await db.query<{ atMs: number }>({
    name: 'database_time',
    text: `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "atMs"`,
  });
  return firstRow(rows).atMs;
}

function describe(aheadMs: number): string {
  const apartMs = Math.abs(aheadMs);
  const apart =
    apartMs < 2 * MINUTE_MS ? `${Math.round(apartMs / 1_000)} seconds` : `${Math.round(apartMs / MINUTE_MS)} minutes`;
  return `${apart} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}
