import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLocks } from '../src/database/check-locks.ts';
import { openDatabase } from '../src/database/database.ts';
import { DEFAULT_RETENTION } from '../src/maintenance.ts';
import { createTestDatabase } from './harness/database.ts';

test('more days than PostgreSQL can lock at once are warned of at the start, long before there are so many', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const db = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => db.close());
  const warnings: unknown[] = [];
  const log = { warn: (facts: unknown) => void warnings.push(facts) };
  await checkLocks({ db, log }, { days: DEFAULT_RETENTION.messageDays, connections: 16 });
  assert.deepEqual(warnings, []);
  await checkLocks({ db, log }, { days: 3650, connections: 16 });
  assert.deepEqual(warnings, [{ days: 3650, maxLocksPerTransaction: 64, needed: 7300 }]);
});
