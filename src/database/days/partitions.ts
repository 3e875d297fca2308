import { pause } from '../../core/run/waiting.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database, Queryable } from '../database.ts';
import { LOCK_NOT_AVAILABLE, sqlStateOf } from '../failures.ts';
import { firstRow } from '../first-row.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS_AHEAD = 3;
/** Yesterday is included because the clocks of nodes may differ around midnight. */
const DAYS_BEHIND = 1;
/** Key of the advisory lock for creating and dropping partitions. */
const PARTITIONS_LOCK = 7_061_727_469;
/** A drop waits for all users of the table, and later users wait for the drop. Under load most tries therefore fail. */
const DROP_WAIT_MS = 100;
const DROP_TRIES = 20;
const DROP_AGAIN_MS = 2_000;

/** Replica identity of tables without a primary key: logical replication names a changed row by all of its columns. */
const FULL_ROW = 'f';

/** A table with one partition per UTC day; `boundAt` writes the first key of a moment (epoch ms) as a literal. */
export interface DailyTable {
  table: string;
  boundAt: (epochMs: number) => string;
}

/** One day of a table, [startMs, endMs) in epoch milliseconds. */
export interface Partition {
  table: string;
  name: string;
  startMs: number;
  endMs: number;
}

/**
 * Creates missing partitions for yesterday, today and the next three days. Safe to repeat, and to run on several nodes at once. A row
 * can be stored only if its day's partition exists.
 */
export async function ensurePartitions(db: Database, tables: readonly DailyTable[], nowMs: number): Promise<void> {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const partitions = await listPartitions(
    db,
    tables.map(({ table }) => table),
  );
  for (const { table, boundAt } of tables) {
    const existing = new Set(partitions.filter((partition) => partition.table === table).map(({ startMs }) => startMs));
    for (let day = -DAYS_BEHIND; day <= DAYS_AHEAD; day += 1) {
      const startMs = today + day * DAY_MS;
      if (existing.has(startMs)) continue;
      const range = `FROM ('${boundAt(startMs)}') TO ('${boundAt(startMs + DAY_MS)}')`;
      await makePartition(db, table, partitionName(table, startMs), range);
    }
  }
}

/** Name of the partition for the day that begins at `startMs` (epoch ms). */
export function partitionName(table: string, startMs: number): string {
  return `${table}_${new Date(startMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/** The days of a table that ended at `beforeMs` or earlier, oldest first. */
export async function listPastPartitions(db: Queryable, table: string, beforeMs: number): Promise<Partition[]> {
  return (await listPartitions(db, [table])).filter(({ endMs }) => endMs <= beforeMs);
}

/** True if a table has earlier days but not the one of `atMs` (epoch ms): no node has created days for some time. */
export async function lacksDay(db: Queryable, table: string, atMs: number): Promise<boolean> {
  const startMs = Math.floor(atMs / DAY_MS) * DAY_MS;
  const days = (await listPartitions(db, [table])).map((day) => day.startMs);
  return !days.includes(startMs) && days.some((day) => day < startMs);
}

/**
 * Drops one partition with all its rows, at a moment when no other session uses the table. Rejects if there is no such moment within
 * about 40 s, as during a backup.
 */
export async function dropPartition(
  { db, clock }: { db: Database; clock: Pick<Clock, 'schedule'> },
  { name }: Partition,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await changePartitions(db, async (tx) => {
        await tx.query({ text: `SET LOCAL lock_timeout = '${DROP_WAIT_MS}ms'` });
        await tx.query({ text: `DROP TABLE IF EXISTS ${name}` });
      });
      return;
    } catch (error) {
      if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      if (tries === DROP_TRIES)
        throw new Error(`${name} was not dropped: another session uses its table for long`, { cause: error });
    }
    await pause(clock, DROP_AGAIN_MS);
  }
}

/** Creates the table first and attaches it then: attaching waits for no reader or writer, and none waits for it. */
async function makePartition(db: Database, table: string, name: string, range: string): Promise<void> {
  await changePartitions(db, async (tx) => {
    const found = await tx.query<{ made: boolean; identity: string }>({
      text: 'SELECT to_regclass($1) IS NOT NULL AS made, relreplident AS identity FROM pg_class WHERE oid = to_regclass($2)',
      values: [name, table],
    });
    const { made, identity } = firstRow(found);
    if (made) return;
    await tx.query({ text: `CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)` });
    // A partition does not inherit it. Without it, PostgreSQL refuses deletes from the day while the table is published.
    if (identity === FULL_ROW) await tx.query({ text: `ALTER TABLE ${name} REPLICA IDENTITY FULL` });
    await tx.query({ text: `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES ${range}` });
  });
}

async function listPartitions(db: Queryable, tables: readonly string[]): Promise<Partition[]> {
  const rows = await db.query<{ table: string; name: string; day: string }>({
    name: 'partition_list',
    text: `
      SELECT t.name AS "table", c.relname AS name, right(c.relname, 8) AS day
      FROM unnest($1::text[]) AS t (name)
      JOIN pg_inherits i ON i.inhparent = to_regclass(t.name) JOIN pg_class c ON c.oid = i.inhrelid
      WHERE right(c.relname, 8) ~ '^[0-9]{8}$'
      ORDER BY day`,
    values: [tables],
  });
  return rows.map(({ table, name, day }) => {
    const startMs = Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6)));
    return { table, name, startMs, endMs: startMs + DAY_MS };
  });
}

/** Changes the days of a table under the advisory lock: a later node sees the result and skips finished work. */
async function changePartitions(db: Database, change: (tx: Queryable) => Promise<void>): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query({ text: `SELECT pg_advisory_xact_lock(${PARTITIONS_LOCK})` });
    await change(tx);
  });
}
