import type { Queryable } from '../../src/database/database.ts';
import { until } from './tenant.ts';

/** Counts the database's sessions that wait for a lock of another session. */
export async function countWaiting(db: Queryable): Promise<number> {
  const waiting = await db.query({
    text: "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  });
  return waiting.length;
}

/** Resolves once this many sessions of the database wait for a lock of another session. */
export async function untilWaiting(db: Queryable, sessions = 1): Promise<void> {
  await until(`${sessions} wait for a lock`, async () => (await countWaiting(db)) >= sessions || undefined);
}
