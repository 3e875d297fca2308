import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { firstIdAt, newId, wamidDigest } from '../../src/core/ids.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { removePast } from '../../src/retention/remove-past.ts';
import { openTestDatabase } from '../harness/database.ts';
import { dyingDatabase } from '../harness/dying-database.ts';
import { createManualClock } from '../harness/manual-clock.ts';

const DAY_MS = 86_400_000;
const SHORT = '0199c0de-0000-7000-8000-000000000001';
const LONG = '0199c0de-0000-7000-8000-000000000002';
const PERSON = '12025550123';
const MESSAGES = 1_100;
const SENT = 3;
const QUEUED = 0;

const db = await openTestDatabase({ after });
const clock = createManualClock(Date.parse('2026-03-02T12:00:00Z'));
const chores = { stopped: false };
const startMs = clock.now();
await preparePartitions({ db, clock });
await db.query({
  text: `
    INSERT INTO organization (id, name, created_at, retention) VALUES
      ($1, 'short', now(), '{"messages_days": 8, "events_days": 6, "media_names_days": 2}'), ($2, 'long', now(), '{}')`,
  values: [SHORT, LONG],
});

/** Stores messages, an event, an attempt and two deliveries of each, and one named file. */
async function fill(organizationId: string, atMs: number, count: number, status = SENT): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId(atMs));
  const wamids = ids.map((id) => `wamid.${id}`);
  const values = [organizationId, ids, new Date(atMs), status, PERSON, wamids, wamids.map(wamidDigest)];
  await db.query({
    text: `
      WITH item AS (SELECT * FROM unnest($2::uuid[], $6::text[], $7::uuid[]) AS i (id, wamid, digest)),
      ref AS (INSERT INTO wamid_ref SELECT digest, $1, id FROM item),
      events AS (
        INSERT INTO event (organization_id, subject_id, at, type, sequence, occurred_at, upstream_value)
        SELECT $1, id, $3, 1, 1, $3, '{"recipient_id":"' || $5 || '"}' FROM item
      ),
      tries AS (
        INSERT INTO send_attempt (organization_id, message_id, at, outcome) SELECT $1, id, $3, 'unknown' FROM item
      ),
      delivered AS (
        INSERT INTO webhook_delivery (organization_id, endpoint_number, event_at, subject_id, sequence, event_type, delivered, attempts, settled_at)
        SELECT $1, 1, $3, id, 1, 1, true, 1, $3 FROM item
      ),
      attempted AS (
        INSERT INTO webhook_attempt (organization_id, endpoint_number, subject_id, sequence, at) SELECT $1, 1, id, 1, $3 FROM item
      )
      INSERT INTO message (organization_id, id, number_id, direction, contact, type, body, status, accepted_at, price_micros, wamid)
      SELECT $1, id, 1, 0, $5::bigint, 'text', '{"text":{"body":"planted"}}', $4, $3, 5, wamid FROM item`,
    values,
  });
  return ids;
}

async function storeFile(organizationId: string, mediaId: string): Promise<void> {
  await db.query({
    text: `
      INSERT INTO media (organization_id, media_id, phone_number_id, file_name, expires_at, created_at)
      VALUES ($1, $2, '1', 'planted.pdf', $3, $3)`,
    values: [organizationId, mediaId, new Date(clock.now())],
  });
}

async function countOf(table: string, where = 'true'): Promise<[short: number, long: number]> {
  const rows = await db.query<{ short: number; long: number }>({
    text: `
      SELECT count(*) FILTER (WHERE organization_id = $1)::int AS short, count(*) FILTER (WHERE organization_id = $2)::int AS long
      FROM ${table} WHERE ${where}`,
    values: [SHORT, LONG],
  });
  return [rows[0]?.short ?? 0, rows[0]?.long ?? 0];
}

const EVENT_TABLES = ['event', 'send_attempt', 'webhook_delivery', 'webhook_attempt'];
const IS_BLANK = `body = '{}' AND contact IS NULL AND wamid IS NULL`;

/** Removes what is past on two nodes at once, each killed in every second step, and again until none is killed. */
async function removeAll(): Promise<void> {
  for (const database of [dyingDatabase(db), dyingDatabase(db), dyingDatabase(db), db]) {
    const nodes = [database, database].map((one) => removePast({ db: one, clock, chores }));
    for (const result of await Promise.allSettled(nodes)) {
      if (result.status === 'rejected') assert.match(String(result.reason), /killed/);
    }
  }
}

test('retention of an organization: its days alone are removed, money and counts stay', async () => {
  await fill(SHORT, startMs, MESSAGES);
  await fill(LONG, startMs, MESSAGES);
  await storeFile(SHORT, '1001');
  await storeFile(LONG, '1002');
  await removeAll();
  assert.deepEqual(await countOf('event'), [MESSAGES, MESSAGES]);
  assert.deepEqual(await countOf('message', IS_BLANK), [0, 0]);
  assert.deepEqual(await countOf('media', 'file_name IS NOT NULL'), [1, 1]);

  await clock.advance(3 * DAY_MS);
  await removeAll();
  assert.deepEqual(await countOf('media', 'file_name IS NOT NULL'), [0, 1]);
  assert.deepEqual(await countOf('event'), [MESSAGES, MESSAGES]);

  await clock.advance(4 * DAY_MS);
  await removeAll();
  for (const table of EVENT_TABLES) assert.deepEqual(await countOf(table), [0, MESSAGES], table);
  assert.deepEqual(await countOf('message', IS_BLANK), [0, 0]);

  await clock.advance(2 * DAY_MS);
  await removeAll();
  assert.deepEqual(await countOf('message', IS_BLANK), [MESSAGES, 0]);
  assert.deepEqual(await countOf('message', 'price_micros = 5 AND status = 3'), [MESSAGES, MESSAGES]);
  assert.deepEqual(await countOf('wamid_ref'), [0, MESSAGES]);
});

test('a message that waits past its time: kept with all later ones, removed once it has ended', async () => {
  await preparePartitions({ db, clock });
  const fromMs = clock.now();
  await fill(SHORT, fromMs, 3);
  const [waiting] = await fill(SHORT, fromMs + 10, 1, QUEUED);
  await fill(SHORT, fromMs + 20, 3);
  await clock.advance(9 * DAY_MS);
  const isNew = `id >= '${firstIdAt(fromMs)}'`;
  await removeAll();
  assert.deepEqual(await countOf('message', `${isNew} AND ${IS_BLANK}`), [3, 0]);
  assert.deepEqual(await countOf('event', 'type = 1'), [0, MESSAGES]);
  await db.query({ text: 'UPDATE message SET status = 4 WHERE id = $1', values: [waiting] });
  await removeAll();
  assert.deepEqual(await countOf('message', `${isNew} AND ${IS_BLANK}`), [7, 0]);
});
