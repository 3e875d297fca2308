import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../database.ts';

/** So few rows are joined fast under any plan. */
const FEW_ROWS = 1_000;
const GROWN_TIMES = 4;
/** Shortest time between two analyzes of a table. If one cannot finish in time, autovacuum has to do it. */
const AGAIN_MS = 60_000;

/**
 * Keeps PostgreSQL's statistics from treating a filled table as empty.
 *
 * A queue is mostly empty, and so autovacuum finds it. A plan made from those statistics may scan the whole table for each row of a
 * batch; with 200,000 waiting messages the gateway then sends nothing. Autovacuum looks again only after a minute.
 */
export class TableStatistics {
  readonly #deps: { db: Queryable; clock: Pick<Clock, 'monotonicMs'> };
  readonly #analyzedAtMs = new Map<string, number>();

  constructor(deps: { db: Queryable; clock: Pick<Clock, 'monotonicMs'> }) {
    this.#deps = deps;
  }

  /**
   * Call it every other second. Analyzes tables that have grown fourfold, and by more than 1,000 rows, since their last analyze; every session
   * then plans again. Tables never analyzed are skipped, because the planner assumes that they are large.
   */
  async look(): Promise<void> {
    const { db, clock } = this.#deps;
    const grown = await db.query<{ name: string }>({
      name: 'table_statistics_outdated',
      // Existing tables stay in their schema; new days go to the first schema of the search path.
      text: `
        SELECT format('%I', relname) AS name FROM pg_class
        WHERE relnamespace IN (
            quote_ident(current_schema())::regnamespace, (SELECT relnamespace FROM pg_class WHERE oid = 'send_queue'::regclass)
          )
          AND relkind = 'r' AND reltuples >= 0
          AND pg_stat_get_live_tuples(oid) > $1 + $2 * reltuples`,
      values: [FEW_ROWS, GROWN_TIMES],
    });
    for (const { name } of grown) {
      const nowMs = clock.monotonicMs();
      if (nowMs - (this.#analyzedAtMs.get(name) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) continue;
      this.#analyzedAtMs.set(name, nowMs);
      // SKIP_LOCKED: another node may be analyzing the table.
      await db.query({ text: `ANALYZE (SKIP_LOCKED) ${name}` });
    }
  }
}
