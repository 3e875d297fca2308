import type { Logger } from 'pino';
import type { Queryable } from '../database.ts';
import { firstRow } from '../first-row.ts';

/** A day of messages is one table with its indexes; a statement on all days locks each of them. */
const LOCKS_PER_DAY = 4;
/** PostgreSQL's own processes use part of the lock table as well. */
const OWN_PROCESSES = 20;

/**
 * Warns if PostgreSQL's lock table is too small for all connections of this process to read `days` at once. Without the warning,
 * messages would be answered 500 when that many days exist, months after the start.
 */
export async function checkLocks(
  deps: { db: Queryable; log: Pick<Logger, 'warn'> },
  { days, connections }: { days: number; connections: number },
): Promise<void> {
  const rows = await deps.db.query<{ room: number; perTransaction: number }>({
    text: `
      SELECT locks AS "perTransaction", 2 * locks * (current_setting('max_connections')::int + ${OWN_PROCESSES}) AS room
      FROM (SELECT current_setting('max_locks_per_transaction')::int AS locks) s`,
  });
  const { room, perTransaction } = firstRow(rows);
  if (days * LOCKS_PER_DAY * connections <= room) return;
  deps.log.warn(
    { days, maxLocksPerTransaction: perTransaction, needed: 2 * days },
    'max_locks_per_transaction is too low for the days of messages kept: reading them will fail (out of shared memory)',
  );
}
