import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../database.ts';

/** Nothing the gateway does itself takes so long. */
const OPEN_MS_MAX = 60_000;

/**
 * Says in the log whose transaction holds events back: they are told up to the oldest that is open anywhere in the cluster, whatever
 * database it is in, and one that was forgotten keeps all webhooks waiting without a failure to be seen.
 */
export class OpenTransactions {
  readonly #deps: { db: Queryable; clock: Pick<Clock, 'monotonicMs'>; log: Pick<Logger, 'warn'> };
  #oldest: { xid: string; seenAtMs: number; isTold: boolean } | undefined;

  constructor(deps: { db: Queryable; clock: Pick<Clock, 'monotonicMs'>; log: Pick<Logger, 'warn'> }) {
    this.#deps = deps;
  }

  /** To be called every few seconds; warns of a transaction once, when it has been the oldest for a minute. */
  async look(): Promise<void> {
    const { db, clock, log } = this.#deps;
    const [oldest] = await db.query<{ xid: string; pid: number | null; database: string; application: string }>({
      name: 'open_transaction_oldest',
      text: `
        SELECT s.xid::text AS xid, a.pid, a.datname AS database, a.application_name AS application
        FROM (
          SELECT pg_snapshot_xmin(now) AS xid, pg_snapshot_xmax(now) AS next FROM pg_current_snapshot() AS now
        ) s
        LEFT JOIN pg_stat_activity a ON a.backend_xid = s.xid::xid
        WHERE s.xid < s.next`,
    });
    if (oldest?.xid !== this.#oldest?.xid) {
      this.#oldest = oldest && { xid: oldest.xid, seenAtMs: clock.monotonicMs(), isTold: false };
    }
    if (oldest === undefined || this.#oldest === undefined || this.#oldest.isTold) return;
    if (clock.monotonicMs() - this.#oldest.seenAtMs < OPEN_MS_MAX) return;
    this.#oldest.isTold = true;
    log.warn(oldest, 'a transaction that has been open for a minute holds events back, and with them webhooks');
  }
}
