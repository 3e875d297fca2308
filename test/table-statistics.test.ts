import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../src/core/clock.ts';
import { openDatabase, type Queryable, type Statement } from '../src/database/database.ts';
import { TableStatistics } from '../src/database/table-statistics.ts';
import { recordCompletions } from '../src/dispatch/result-queries.ts';
import { preparePartitions } from '../src/maintenance.ts';
import { createTestDatabase } from './harness/database.ts';

test('messages are found by their keys in a queue that fills after it was found empty', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const db = openDatabase({ connectionString, connectionsMax: 1, onIdleError: () => {} });
  t.after(() => db.close());
  await preparePartitions({ db, clock: systemClock });
  // Autovacuum would look at it sooner or later.
  await db.query({ text: 'ALTER TABLE send_queue SET (autovacuum_enabled = false)' });
  const statistics = new TableStatistics({ db, clock: systemClock });
  const look = async () => {
    await db.query({ text: 'SELECT pg_stat_force_next_flush()' });
    await statistics.look();
  };

  await queueMessages(db, 10);
  await db.query({ text: 'DELETE FROM send_queue' });
  await db.query({ text: 'ANALYZE send_queue' });
  await look();
  assert.ok(!(await findsByKey(db)), 'the table is small enough to go through');
  await queueMessages(db, 5_000);
  await look();
  assert.ok(await findsByKey(db));
});

test('tables are looked after whatever their schema is called, and where another one comes before it', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const admin = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => admin.close());
  await admin.query({ text: 'CREATE SCHEMA "Of-Fairway"' });
  for (const path of ['"Of-Fairway"', '"Of-Fairway",public']) {
    const url = new URL(connectionString);
    url.searchParams.set('options', `-c search_path=${path}`);
    const db = openDatabase({ connectionString: url.href, connectionsMax: 1, onIdleError: () => {} });
    t.after(() => db.close());
    if (path === '"Of-Fairway"')
      await db.query({ text: 'CREATE TABLE send_queue (LIKE public.send_queue INCLUDING ALL)' });
    await db.query({ text: 'ALTER TABLE send_queue SET (autovacuum_enabled = false)' });
    await db.query({ text: 'ANALYZE send_queue' });
    await queueMessages(db, 5_000);
    await db.query({ text: 'SELECT pg_stat_force_next_flush()' });
    await new TableStatistics({ db, clock: systemClock }).look();
    const [row] = await db.query<{ rows: number }>({
      text: `SELECT reltuples::int AS rows FROM pg_class WHERE oid = 'send_queue'::regclass`,
    });
    assert.equal(row?.rows, 5_000, path);
    await admin.query({ text: 'DROP TABLE IF EXISTS "Of-Fairway".send_queue' });
  }
});

function queueMessages(db: Queryable, count: number): Promise<unknown> {
  return db.query({
    text: `
      INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
      SELECT 1, 1, 1, n, gen_random_uuid(), gen_random_uuid(), now(), now() FROM generate_series(1, $1) n`,
    values: [count],
  });
}

/** Whether the recording of results would look for rows of the queue by the whole key. */
async function findsByKey(db: Queryable): Promise<boolean> {
  let text = '';
  const noted: Queryable = {
    async query(statement: Statement) {
      text = statement.text;
      return [];
    },
  };
  await recordCompletions(noted, '0', [], [], Date.now());
  const plan = await db.query<{ 'QUERY PLAN': string }>({ text: `EXPLAIN (GENERIC_PLAN) ${text}` });
  const lines = plan.map((row) => row['QUERY PLAN']);
  const scan = lines.findIndex((line) => line.includes('using send_queue_pkey on send_queue'));
  return /Index Cond: .*number_id = .*flow_id = .*seq = /.test(lines[scan + 1] ?? '');
}
