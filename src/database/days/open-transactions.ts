import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../database.ts';

/** Longer than any transaction of the gateway itself. */
const OPEN_MS_MAX = 60_000;

/**
 * Logs which transaction holds events back. Events are read only up to the oldest open transaction of the whole cluster, in any of its
 * databases. A forgotten transaction would otherwise stop all webhooks without a visible failure.
 */
export class OpenTransactions {
  readonly #deps: { db: Queryable; clock: Pick<Clock, 'monotonicMs'>; log: Pick<Logger, 'warn'> };
  #oldest: { xid: string; seenAtMs: number; isTold: boolean } | undefined;

  constructor(deps: { db: Queryable; clock: Pick<Clock, 'monotonicMs'>; log: Pick<Logger, 'warn'> }) {
    this.#deps = deps;
  }

  /** Call it every few seconds. Warns once about a transaction that has been the oldest for 60 s. */
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
    log.warn(oldest, 'a transaction open for a minute holds events back: webhooks wait until it ends');
  }
}
