import type { Logger } from 'pino';
import type { Queryable } from '../database.ts';
import { firstRow } from '../first-row.ts';

/** A day of messages is a table with its indexes, and whatever looks through all days locks each of them. */
const LOCKS_PER_DAY = 4;
/** PostgreSQL's own processes have their share of the room as well. */
const OWN_PROCESSES = 20;

/**
 * Warns when PostgreSQL would have no room for the locks of all connections of this process looking through `days` at once: messages
 * would be answered 500, and only when so many days have come together, months after the start.
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
    'max_locks_per_transaction is too low for the days of messages to be kept: reading them will fail (out of shared memory)',
  );
}
