import { pino } from 'pino';
import { systemClock } from '../../src/core/clock.ts';
import { newId } from '../../src/core/ids.ts';
import { type ChangeFeed, createChangeFeed, publishChange } from '../../src/database/change-feed.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createTestDatabase } from './database.ts';

/** A database of a test file's own, and the feed by which one node follows its changes. */
export interface FollowedDatabase {
  db: Database;
  changes: ChangeFeed;
  /** Resolves when the node has heard of everything committed so far. */
  catchUp(): Promise<void>;
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
    async catchUp() {
      const marker = newId();
      const { promise, resolve } = Promise.withResolvers<void>();
      changes.on('plan', (key) => key === marker && resolve(), resolve);
      await publishChange(db, 'plan', marker);
      await promise;
    },
    async close() {
      await changes.stop();
      await db.close();
      await testDatabase.drop();
    },
  };
}
