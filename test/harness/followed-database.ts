import { pino } from 'pino';
import { systemClock } from '../../src/core/clock.ts';
import { type ChangeFeed, createChangeFeed } from '../../src/database/change-feed.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createTestDatabase } from './database.ts';

/** A database of a test file's own, and the feed by which one node follows its changes. */
export interface FollowedDatabase {
  db: Database;
  changes: ChangeFeed;
  close(): Promise<void>;
}

export async function openFollowedDatabase(): Promise<FollowedDatabase> {
  const testDatabase = await createTestDatabase();
  const db = openDatabase({ connectionString: testDatabase.connectionString, onIdleError: () => {} });
  const changes = createChangeFeed({ db, clock: systemClock, log: pino({ level: 'silent' }), pollMs: 10 });
  await changes.start();
  return {
    db,
    changes,
    async close() {
      await changes.stop();
      await db.close();
      await testDatabase.drop();
    },
  };
}
