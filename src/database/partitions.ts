import type { Queryable } from './database.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS_AHEAD = 3;
/** Clocks of several nodes may differ around midnight. */
const DAYS_BEHIND = 1;

/** A table kept in one partition per UTC day; `boundAt` spells the first key of a moment (epoch ms) as a literal. */
export interface DailyTable {
  table: string;
  boundAt: (epochMs: number) => string;
}

/**
 * Makes sure today and the next days have partitions. Safe to run on several nodes at once and again; rows of a day can be
 * stored only once its partition exists.
 */
export async function ensurePartitions(db: Queryable, tables: readonly DailyTable[], nowMs: number): Promise<void> {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  for (const { table, boundAt } of tables) {
    for (let day = -DAYS_BEHIND; day <= DAYS_AHEAD; day += 1) {
      const startMs = today + day * DAY_MS;
      const name = `${table}_${new Date(startMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
      await db.query({
        text: `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${table} FOR VALUES FROM ('${boundAt(startMs)}') TO ('${boundAt(startMs + DAY_MS)}')`,
      });
    }
  }
}

/** Drops the partitions of days that ended before `beforeMs`. Answers how many. */
export async function dropPartitions(db: Queryable, { table }: DailyTable, beforeMs: number): Promise<number> {
  const rows = await db.query<{ name: string }>({
    text: `
      SELECT c.relname AS name
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
      WHERE p.relname = $1 AND right(c.relname, 8) ~ '^[0-9]{8}$' AND to_date(right(c.relname, 8), 'YYYYMMDD') + 1 <= to_timestamp($2 / 1000.0)`,
    values: [table, beforeMs],
  });
  for (const { name } of rows) await db.query({ text: `DROP TABLE IF EXISTS ${name}` });
  return rows.length;
}
