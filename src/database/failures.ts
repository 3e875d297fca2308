import pg from 'pg';

/** SQLSTATE of a write that a standby, or a server set to read-only, refused. */
export const READ_ONLY = '25006';
/** SQLSTATE of a statement that reached `lock_timeout` while it waited for a lock. */
export const LOCK_NOT_AVAILABLE = '55P03';
/** The SQLSTATE of a statement that PostgreSQL ended to resolve a deadlock. */
export const DEADLOCK_DETECTED = '40P01';
/** SQLSTATE of a row that another row refers to, or whose reference names no row. */
export const FOREIGN_KEY_VIOLATION = '23503';

/** The SQLSTATE of a failed statement; undefined if the server did not answer. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * True if a failed commit may have taken effect: the server did not answer, or answered that it is shutting down, which it may say after
 * the commit.
 */
export function leavesCommitInDoubt(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === undefined || /^(08|57P)/.test(state);
}

/**
 * True if the same statement may succeed later. Covers deadlocks, serialization failures, lock and statement timeouts, shutdowns, broken
 * connections, missing day partitions, and a password, right or database that an operator can correct. Says nothing about whether the
 * failed statement took effect.
 */
export function isPassing(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === undefined) return true;
  if (/^(08|28|3D|40|53|57|58)/.test(state)) return true;
  return ['42501', '55000', LOCK_NOT_AVAILABLE, READ_ONLY].includes(state) || isDayMissing(error);
}

/** True if a day has no partition: naming it is an unknown table, and inserting its row is a check violation without a constraint. */
function isDayMissing(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === '42P01' || (state === '23514' && (error as pg.DatabaseError).constraint === undefined);
}
