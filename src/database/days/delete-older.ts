import type { Queryable } from '../database.ts';

const ROWS_AT_ONCE_MAX = 5_000;

/**
 * Deletes the rows of `table` whose `column` is before `beforeMs` (epoch ms), oldest first, along the index on that column alone. Works
 * in steps: each locks few rows for a short time and skips rows that others have locked.
 */
export async function deleteOlder(db: Queryable, table: string, column: string, beforeMs: number): Promise<void> {
  const text = `
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE ${column} < $1 ORDER BY ${column} LIMIT ${ROWS_AT_ONCE_MAX} FOR UPDATE SKIP LOCKED
    )) RETURNING 1`;
  for (let deleted = ROWS_AT_ONCE_MAX; deleted === ROWS_AT_ONCE_MAX; ) {
    deleted = (await db.query({ name: `${table}_delete_older`, text, values: [new Date(beforeMs)] })).length;
  }
}
