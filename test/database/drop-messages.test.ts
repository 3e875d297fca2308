import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wamidDigest } from '../../src/core/ids.ts';
import type { Database } from '../../src/database/database.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { dropMessages } from '../../src/messages/index.ts';
import { openTestDatabase } from '../harness/database.ts';
import { createManualClock } from '../harness/manual-clock.ts';
import { planOf, rowsRead } from '../harness/query-plans.ts';

const ORGANIZATION = '0199c0de-0000-7000-8000-000000000001';

test('a day of messages: dropped in equal steps, however many in a row were never sent', async (t) => {
  const db = await openTestDatabase(t);
  const dayMs = Date.parse('2026-01-10T12:00:00Z');
  const clock = createManualClock(dayMs);
  await preparePartitions({ db, clock });
  const wamid = 'wamid.last';
  await db.query({
    text: `
      WITH ref AS (INSERT INTO wamid_ref (wamid_digest, organization_id, message_id) VALUES ($3, $1, $1))
      INSERT INTO message (organization_id, id, number_id, direction, type, body, status, accepted_at, wamid)
      SELECT $1, (left($2::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, 1, 0, 'text', '{}', 1, $4, CASE WHEN n = 20000 THEN $5::text END
      FROM generate_series(1, 20000) n`,
    values: [ORGANIZATION, '019ba7c8-0000-7000-8000-000000000000', wamidDigest(wamid), new Date(dayMs), wamid],
  });

  let read = 0;
  const explained: Database = {
    ...db,
    async query<Row extends Record<string, unknown>>(statement: Parameters<Database['query']>[0]) {
      if (/ wamid FROM message_/.test(statement.text))
        read = Math.max(read, ...(await planOf(db, statement.text, statement.values)).map(rowsRead));
      return await db.query<Row>(statement);
    },
  };
  await dropMessages({ db: explained, clock }, Date.parse('2026-01-11T00:00:00Z'));
  assert.ok(read >= 5_000 && read <= 5_001, `${read} rows were read at once`);
  assert.deepEqual(await db.query({ text: 'SELECT FROM message' }), []);
  assert.deepEqual(await db.query({ text: 'SELECT FROM wamid_ref' }), []);
});
