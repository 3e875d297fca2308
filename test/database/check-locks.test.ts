import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { checkLocks } from '../../src/database/connection/check-locks.ts';
import { openTestDatabase } from '../harness/database.ts';

test('days: more than PostgreSQL can lock at once → a warning at the start, well in time', async (t) => {
  const db = await openTestDatabase(t);
  const warnings: unknown[] = [];
  const log = { warn: (facts: unknown) => void warnings.push(facts) };
  const { messageRetentionDays: days, database } = readConfig({});
  await checkLocks({ db, log }, { days, connections: database.connectionsMax });
  assert.deepEqual(warnings, []);
  await checkLocks({ db, log }, { days: 3650, connections: 16 });
  assert.deepEqual(warnings, [{ days: 3650, maxLocksPerTransaction: 64, needed: 7300 }]);
});
