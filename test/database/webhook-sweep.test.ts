import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Queryable } from '../../src/database/database.ts';
import { clearDeleted, clearExpired } from '../../src/outbound-webhooks/endpoints/endpoint-queries.ts';
import { openTestDatabase } from '../harness/database.ts';
import { planOf, rowsRead } from '../harness/query-plans.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const LIMIT = 50;

/** Creates disabled endpoints, each with expired rows waiting, followed by younger ones. */
async function disableEndpoints(db: Queryable, endpoints: number, past: number, young: number): Promise<void> {
  await db.query({
    text: `
      WITH organization AS (INSERT INTO organization (id, name, created_at) VALUES (gen_random_uuid(), 'o', now()) RETURNING id),
      endpoint AS (
        INSERT INTO webhook_endpoint (organization_id, id, url, format, signing, ordered, secret_sealed, created_at, updated_at,
                                      disabled_at, disabled_reason)
        SELECT id, gen_random_uuid(), 'https://example.com', 'standard', 'hmac', false, '', now(), now(), now(), 'owner'
        FROM organization, generate_series(1, $1)
        RETURNING organization_id, endpoint_number
      )
      INSERT INTO webhook_queue (organization_id, endpoint_number, subject_id, sequence, event_type, event_at)
      SELECT organization_id, endpoint_number, gen_random_uuid(), 1, 0,
             date_trunc('second', now()) - CASE WHEN n <= $2 THEN interval '40 days' ELSE interval '1 day' END
      FROM endpoint, generate_series(1, $2::int + $3) n ORDER BY n`,
    values: [endpoints, past, young],
  });
}

/** Returns the most rows that any part of the next sweep reads. */
async function readBySweep(db: Queryable, beforeMs: number): Promise<number> {
  let read = 0;
  const explained: Queryable = {
    async query({ text, values = [] }) {
      read = Math.max(...(await planOf(db, text, values)).map(rowsRead));
      return [];
    },
  };
  assert.equal(await clearExpired(explained, beforeMs, LIMIT), 0);
  return read;
}

test("a disabled endpoint's backlog: not read completely to find expired rows", async (t) => {
  const db = await openTestDatabase(t);
  await disableEndpoints(db, 1, 60, 1_940);
  const beforeMs = Date.now() - 30 * DAY_MS;
  assert.equal(await clearExpired(db, beforeMs, LIMIT), LIMIT);
  assert.equal(await clearExpired(db, beforeMs, LIMIT), 10);

  const read = await readBySweep(db, beforeMs);
  assert.ok(read <= LIMIT, `${read} rows were read`);
});

test('many disabled endpoints without expired rows: only their oldest rows are read', async (t) => {
  const db = await openTestDatabase(t);
  await disableEndpoints(db, 300, 0, LIMIT);
  await disableEndpoints(db, 1, 10, LIMIT);
  const beforeMs = Date.now() - 30 * DAY_MS;
  assert.equal(await clearExpired(db, beforeMs, LIMIT), 10);

  const read = await readBySweep(db, beforeMs);
  assert.ok(read <= 301, `${read} rows were read`);
});

test('a deleted endpoint: its backlog is deleted in parts, then the endpoint, nothing else', async (t) => {
  const db = await openTestDatabase(t);
  await db.query({
    text: `
      WITH organization AS (INSERT INTO organization (id, name, created_at) VALUES (gen_random_uuid(), 'o', now()) RETURNING id),
      endpoint AS (
        INSERT INTO webhook_endpoint (organization_id, id, url, format, signing, ordered, secret_sealed, created_at, updated_at,
                                      deleted_at)
        SELECT id, gen_random_uuid(), url, 'standard', 'hmac', false, '', now(), now(), deleted_at
        FROM organization, (VALUES ('long ago', now() - interval '2 minutes'), ('just now', now()), ('never', NULL)) AS e(url, deleted_at)
        RETURNING organization_id, endpoint_number, url
      )
      INSERT INTO webhook_queue (organization_id, endpoint_number, subject_id, sequence, event_type, event_at)
      SELECT organization_id, endpoint_number, gen_random_uuid(), 1, 0, date_trunc('second', now())
      FROM endpoint, generate_series(1, 3) WHERE url <> 'just now'`,
  });
  const left = () =>
    db.query({
      text: `
        SELECT url, count(seq)::int AS waiting
        FROM webhook_endpoint LEFT JOIN webhook_queue USING (organization_id, endpoint_number) GROUP BY url ORDER BY url`,
    });
  const others = [
    { url: 'just now', waiting: 0 },
    { url: 'never', waiting: 3 },
  ];
  assert.equal(await clearDeleted(db, 2), 2);
  assert.deepEqual(await left(), [others[0], { url: 'long ago', waiting: 1 }, others[1]]);
  assert.equal(await clearDeleted(db, 2), 1);
  assert.deepEqual(await left(), others);
});
