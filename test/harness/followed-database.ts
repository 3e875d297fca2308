import { pino } from 'pino';
import { systemClock } from '../../src/core/time/clock.ts';
import { createChangeFeed } from '../../src/database/changes/change-feed.ts';
import { openTestDatabase, type Scope } from './database.ts';

/** Opens a database for one test file, and one node's change feed on it. */
export async function openFollowedDatabase(scope: Scope) {
  const db = await openTestDatabase(scope);
  const changes = createChangeFeed({ db, clock: systemClock, log: pino({ level: 'silent' }), pollMs: 10 });
  await changes.start();
  scope.after(() => changes.stop());
  return { db, changes };
}
