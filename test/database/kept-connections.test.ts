import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase } from '../harness/database.ts';

test('connections made together: end one by one', async (t) => {
  const db = await openTestDatabase(t);
  let [hours, drawn] = [0, 0];
  const now = performance.now();
  t.mock.method(performance, 'now', () => now + hours * 3_600_000);
  t.mock.method(Math, 'random', () => (drawn++ % 4) / 4);
  const backends = async () => {
    const ask = () => db.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid FROM pg_sleep(0.2)' });
    return new Set((await Promise.all(Array.from({ length: 4 }, ask))).flatMap((rows) => rows.map(({ pid }) => pid)));
  };
  const first = await backends();
  const left: number[] = [];
  for (hours of [2.9, 4, 5.5, 7, 8.5]) {
    // The pool checks each connection after its query.
    await backends();
    left.push((await backends()).intersection(first).size);
  }
  assert.deepEqual(left, [4, 3, 2, 1, 0]);
});

test("idle connections: kept for minutes, with PostgreSQL's caches", async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const db = await openTestDatabase(t);
  const backend = async () => (await db.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' }))[0]?.pid;
  const before = await backend();
  t.mock.timers.tick(5 * 60_000);
  assert.equal(await backend(), before);
  t.mock.timers.tick(60 * 60_000);
  assert.notEqual(await backend(), before);
});
