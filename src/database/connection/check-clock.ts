import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import { SteadyClock } from '../../core/time/steady-clock.ts';
import type { Queryable } from '../database.ts';
import { firstRow } from '../first-row.ts';

const MINUTE_MS = 60_000;
const DIFFERENCE_MS_MAX = 10 * MINUTE_MS;
/** Webhooks are signed by this machine's clock, and receivers refuse those of five minutes ago, or from now. */
const NOTABLE_MS = 30_000;

/**
 * Throws when this machine's clock and PostgreSQL's differ by more than ten minutes. Windows, expiry and retention go by the one,
 * leases and the days of events by the other: with a clock months ahead, what is to be kept for months would be dropped at once.
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
 * Has a steady clock follow the machine's for as long as that and PostgreSQL's differ by no more than ten minutes; any other clock is
 * left alone. While they differ by more, one of them was set wrong, and time goes on evenly. Answers whether both were set by more
 * than that together. Half a minute between them is in the log.
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
  if (hasLeapt) log.error(`the clocks of this machine and of PostgreSQL are ${describe(movedMs)} what they were`);
  return hasLeapt;
}

/** What PostgreSQL's clock says now, in epoch ms. */
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
