import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/core/time/clock.ts';
import { openDatabase, type Queryable, type Statement } from '../../src/database/database.ts';
import { TableStatistics } from '../../src/database/days/table-statistics.ts';
import { findSenders } from '../../src/messages/statuses/early-status-queries.ts';
import { createTestDatabase } from '../harness/database.ts';
import { explainGenericPlan } from '../harness/query-plans.ts';

test('a table that fills after it was found empty: rows are found by key', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const db = openDatabase({ connectionString, connectionsMax: 1, onIdleError: () => {} });
  t.after(() => db.close());
  // Otherwise autovacuum would analyze it sooner or later.
  await db.query({ text: 'ALTER TABLE wamid_ref SET (autovacuum_enabled = false)' });
  const statistics = new TableStatistics({ db, clock: systemClock });
  const look = async () => {
    await db.query({ text: 'SELECT pg_stat_force_next_flush()' });
    await statistics.look();
  };

  await recordWamids(db, 10);
  await db.query({ text: 'DELETE FROM wamid_ref' });
  await db.query({ text: 'ANALYZE wamid_ref' });
  await look();
  assert.ok(!(await findsByKey(db)), 'the table is small enough to go through');
  await recordWamids(db, 5_000);
  await look();
  assert.ok(await findsByKey(db));
});

test('statistics: kept in any schema, even if another one precedes it', async (t) => {
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

function recordWamids(db: Queryable, count: number): Promise<unknown> {
  return db.query({
    text: `
      INSERT INTO wamid_ref (wamid_digest, organization_id, message_id)
      SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid() FROM generate_series(1, $1)`,
    values: [count],
  });
}

/** Returns true if a batch of statuses would be looked up by wamid. */
async function findsByKey(db: Queryable): Promise<boolean> {
  let text = '';
  const noted: Queryable = {
    async query(statement: Statement) {
      text = statement.text;
      return [];
    },
  };
  await findSenders(noted, []);
  const plan = await db.query<{ 'QUERY PLAN': string }>({
    text: await explainGenericPlan(db, text, 'TEXT'),
  });
  return plan.some((row) => /Index Cond: .*wamid_digest = /.test(row['QUERY PLAN']));
}
