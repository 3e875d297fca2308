import { pino } from 'pino';
import { systemClock } from '../../src/core/time/clock.ts';
import { createChangeFeed } from '../../src/database/changes/change-feed.ts';
import { openTestDatabase, type Scope } from './database.ts';

/** A database of a test file's own, and the feed by which one node follows its changes. */
export async function openFollowedDatabase(scope: Scope) {
  const db = await openTestDatabase(scope);
  const changes = createChangeFeed({ db, clock: systemClock, log: pino({ level: 'silent' }), pollMs: 10 });
  await changes.start();
  scope.after(() => changes.stop());
  return { db, changes };
}
