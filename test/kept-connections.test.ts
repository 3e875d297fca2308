import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase } from './harness/database.ts';

test('connections outlast the minutes in which nobody asks, with what PostgreSQL has learned on them', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const db = await openTestDatabase(t);
  const backend = async () => (await db.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' }))[0]?.pid;
  const before = await backend();
  t.mock.timers.tick(5 * 60_000);
  assert.equal(await backend(), before);
  t.mock.timers.tick(60 * 60_000);
  assert.notEqual(await backend(), before);
});
