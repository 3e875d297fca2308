import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../database.ts';

/** So few rows are joined quickly, however it is done. */
const FEW_ROWS = 1_000;
const GROWN_TIMES = 4;
/** A table whose statistics cannot be brought up to date in time is left to autovacuum in between. */
const AGAIN_MS = 60_000;

/**
 * Keeps PostgreSQL's statistics from calling a table empty that has filled.
 *
 * A queue is empty most of the time, and so autovacuum finds it. Of plans made by that, one that goes through the whole table for each
 * row of a batch is as good as any, and with two hundred thousand waiting it sends nothing. Autovacuum looks again after a minute.
 */
export class TableStatistics {
  readonly #deps: { db: Queryable; clock: Pick<Clock, 'monotonicMs'> };
  readonly #analyzedAtMs = new Map<string, number>();

  constructor(deps: { db: Queryable; clock: Pick<Clock, 'monotonicMs'> }) {
    this.#deps = deps;
  }

  /**
   * To be called every second. Analyzes the tables that have grown fourfold, and by more than a thousand rows, since they were last
   * analyzed, which has every session plan anew; those that never were are taken for large as it is.
   */
  async look(): Promise<void> {
    const { db, clock } = this.#deps;
    const grown = await db.query<{ name: string }>({
      name: 'table_statistics_outdated',
      // Tables stay in the schema they were made in, where their new days are made in the first one there is.
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
      // Another node may be at it.
      await db.query({ text: `ANALYZE (SKIP_LOCKED) ${name}` });
    }
  }
}
