import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../database.ts';
import { firstRow } from '../first-row.ts';

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
  #inserted: number | undefined;
  #isQuiet = false;

  constructor(deps: { db: Queryable; clock: Pick<Clock, 'monotonicMs'> }) {
    this.#deps = deps;
  }

  /** True if no row was inserted between the last two looks. */
  get isQuiet(): boolean {
    return this.#isQuiet;
  }

  /**
   * Call it every other second, or every five seconds while the tables are quiet. Analyzes tables that have grown fourfold, and by more than
   * 1,000 rows, since their last analyze; every session then plans again. Tables never analyzed are skipped, because the planner assumes that
   * they are large.
   */
  async look(): Promise<void> {
    const { db, clock } = this.#deps;
    const rows = await db.query<{ inserted: number; grown: string[] }>({
      name: 'table_statistics_outdated',
      // Existing tables stay in their schema; new days go to the first schema of the search path.
      text: `
        SELECT coalesce(sum(pg_stat_get_tuples_inserted(oid)), 0)::float8 AS inserted,
          coalesce(array_agg(format('%I', relname)) FILTER (
            WHERE reltuples >= 0 AND pg_stat_get_live_tuples(oid) > $1 + $2 * reltuples
          ), '{}') AS grown
        FROM pg_class
        WHERE relnamespace IN (
            quote_ident(current_schema())::regnamespace, (SELECT relnamespace FROM pg_class WHERE oid = 'send_queue'::regclass)
          )
          AND relkind = 'r'`,
      values: [FEW_ROWS, GROWN_TIMES],
    });
    const { inserted, grown } = firstRow(rows);
    this.#isQuiet = inserted === this.#inserted;
    this.#inserted = inserted;
    for (const name of grown) {
      const nowMs = clock.monotonicMs();
      if (nowMs - (this.#analyzedAtMs.get(name) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) continue;
      this.#analyzedAtMs.set(name, nowMs);
      // SKIP_LOCKED: another node may be analyzing the table.
      await db.query({ text: `ANALYZE (SKIP_LOCKED) ${name}` });
    }
  }
}
