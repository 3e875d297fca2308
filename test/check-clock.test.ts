import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkClock } from '../src/database/check-clock.ts';
import { openDatabase } from '../src/database/database.ts';
import { createTestDatabase } from './harness/database.ts';

const MINUTE_MS = 60_000;

test('a start is refused on a machine whose clock is minutes away from that of PostgreSQL, either way', async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const db = openDatabase({ connectionString: database.connectionString, onIdleError: () => {} });
  t.after(() => db.close());
  const checkWith = (aheadMs: number) => checkClock({ db, clock: { now: () => Date.now() + aheadMs } });
  await assert.rejects(checkWith(60 * MINUTE_MS), /is 60 minutes ahead of that of PostgreSQL/);
  await assert.rejects(checkWith(-60 * MINUTE_MS), /is 60 minutes behind that of PostgreSQL/);
  await checkWith(5 * MINUTE_MS);
  await checkWith(-5 * MINUTE_MS);
});
