import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { partitionName } from '../../src/database/days/partitions.ts';
import { findQueuePlace } from '../../src/dispatch/outcomes/attempt-queries.ts';
import { countQueued } from '../../src/dispatch/queue/queue-count-queries.ts';
import { listExpired } from '../../src/dispatch/queue/queue-queries.ts';
import { sweepDigests } from '../../src/inbound-webhooks/index.ts';
import { journalPayloads } from '../../src/inbound-webhooks/queries.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { sweepMedia } from '../../src/media/index.ts';
import { insertInbound } from '../../src/messages/inbound/inbound-queries.ts';
import { sweepEarlyStatuses, sweepIdempotencyKeys } from '../../src/messages/index.ts';
import { findRefusedTemplates } from '../../src/messages/queries.ts';
import { listFreshRows } from '../../src/outbound-webhooks/queue/queue-queries.ts';
import { takeBackEnds } from '../../src/outbound-webhooks/queue/settlement-queries.ts';
import { openTestDatabase } from '../harness/database.ts';
import { planOf, rowsRead, statementsOf } from '../harness/query-plans.ts';
import { NEW_ID_SQL } from '../support/new-id-sql.ts';

test('refusals: found by their messages on a day that was empty when planned', async (t) => {
  const db = await openTestDatabase(t);
  await preparePartitions({ db, clock: systemClock });
  await db.query({
    text: `
      WITH one AS (INSERT INTO organization (id, name, created_at) SELECT gen_random_uuid(), 'a', now() FROM generate_series(1, 100) RETURNING id),
      waba AS (
        INSERT INTO waba (organization_id, waba_id, token_sealed, connected_at) SELECT id, id::text, '', now() FROM one RETURNING *
      )
      INSERT INTO sending_number (organization_id, phone_number_id, account_id, waba_id, phone_number, registered, created_at, updated_at)
      SELECT organization_id, waba_id, organization_id, waba_id, '1', true, now(), now() FROM waba`,
  });
  await db.query({ text: 'ANALYZE sending_number' });
  const refused = { organizationId: '0', messageId: newId(), code: '132015', begunAtMs: 0 };
  const [statement] = await statementsOf((noted) => findRefusedTemplates(noted, [refused], Date.now()));
  const today = partitionName('message', Date.now());
  const [scan, another] = (await planOf(db, statement?.text)).filter((node) => node['Relation Name'] === today);
  assert.match(scan?.['Index Cond'] ?? '', /\bid = r\.id\b/);
  assert.equal(another, undefined);
});

test('batched rows: joined without comparing each with each', async (t) => {
  const db = await openTestDatabase(t);
  const statements = await statementsOf(async (noted) => {
    await insertInbound(noted, [], 0);
    await journalPayloads(noted, [], false);
    await takeBackEnds(noted, { organizationId: '0', endpointNumber: 1 }, []);
  });
  assert.equal(statements.length, 3);
  for (const { text } of statements) {
    const joined = (await planOf(db, text)).filter((node) => node['Node Type'] === 'Nested Loop');
    assert.deepEqual(joined, [], text);
  }
});

test('expired rows: found in order of age, whatever else their blocks hold', async (t) => {
  const db = await openTestDatabase(t);
  const statements = await statementsOf(async (noted) => {
    await sweepIdempotencyKeys(noted, 0);
    await sweepDigests(noted, 0);
    await sweepEarlyStatuses(noted, 0);
    await sweepMedia({ db: noted, clock: systemClock });
  });
  assert.equal(statements.length, 4);
  for (const { text } of statements) {
    const nodes = await planOf(db, text);
    const [byAge] = nodes.filter((node) => /_by_(?:age|expiry)$/.test(node['Index Name'] ?? ''));
    assert.match(byAge?.['Node Type'] ?? '', /^Index /, text);
    assert.ok(!nodes.some((node) => node['Node Type'] === 'Sort'), text);
  }
});

test('expired messages: found by expiry, with a plan made while the queue was empty', async (t) => {
  const db = await openTestDatabase(t);
  const [statement] = await statementsOf((noted) => listExpired(noted, [], 0, 1));
  const used = (await planOf(db, statement?.text)).filter((node) => node['Index Cond']);
  assert.deepEqual(
    used.map((node) => [node['Index Name'], node['Index Cond']]),
    [['send_queue_by_expiry', '(expires_at <= $2)']],
  );

  const nowMs = Date.now();
  const queue = async (numberId: number, leftMs: number, messages: number, holdUntil: Date | null = null) =>
    await db.query({
      text: `
        INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at, hold_until)
        SELECT 1, $1, 4, $5, gen_random_uuid(), gen_random_uuid(), now(), $2, $4 FROM generate_series(1, $3)`,
      values: [numberId, new Date(nowMs + leftMs), messages, holdUntil, Math.abs(leftMs)],
    });
  await queue(1, 60_000, 300);
  await queue(1, -2_000, 1, new Date());
  await queue(2, -3_000, 1);
  await queue(1, -1_000, 1);
  await queue(1, -4_000, 1);
  const left = await listExpired(db, [1], nowMs, 256);
  assert.deepEqual(
    left.map(({ numberId, contact }) => [numberId, contact]),
    [
      [1, '4000'],
      [1, '1000'],
    ],
  );
});

test('the key of a flow: looked up, not searched among all keys of the organization', async (t) => {
  const db = await openTestDatabase(t);
  const [statement] = await statementsOf((noted) =>
    countQueued(noted, { organizationId: undefined, phoneNumberId: undefined }),
  );
  const nodes = await planOf(db, statement?.text);
  const keys = nodes.find((node) => node['Relation Name'] === 'api_key');
  assert.match(keys?.['Index Cond'] ?? '', /\bkey_number = /);
});

test('waiting messages: counted from the index, the oldest read at the head of its flow', async (t) => {
  const db = await openTestDatabase(t);
  await db.query({
    text: `
      INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
      SELECT 1, 1 + n % 10, 4, n, gen_random_uuid(), ${NEW_ID_SQL}, now(), now() FROM generate_series(1, 5000) n`,
  });
  await db.query({ text: 'VACUUM ANALYZE send_queue' });
  const [statement] = await statementsOf((noted) =>
    countQueued(noted, { organizationId: undefined, phoneNumberId: undefined }),
  );
  const nodes = (await planOf(db, statement?.text)).filter((node) => node['Relation Name'] === 'send_queue');
  assert.deepEqual(
    nodes.map((node) => [node['Node Type'], node['Index Name']]),
    [
      ['Index Only Scan', 'send_queue_pkey'],
      ['Index Scan', 'send_queue_pkey'],
    ],
  );
});

test('a plan made on an empty queue: reads in order, finds blocking rows by conversation', async (t) => {
  const db = await openTestDatabase(t);

  const [statement] = await statementsOf((noted) => listFreshRows(noted, []));
  const nodes = await planOf(db, statement?.text);
  const indexes = nodes.filter((node) => node['Index Name'] !== undefined);
  assert.deepEqual(indexes.map((node) => node['Index Name']).sort(), [
    'webhook_queue_by_conversation',
    'webhook_queue_pkey',
  ]);
  for (const { 'Index Name': name, 'Index Cond': condition = '' } of indexes) {
    assert.match(condition, name === 'webhook_queue_pkey' ? /\bseq > / : /\bconversation = /);
  }
  // One sort for the whole result: the omitted rows are not sorted first.
  assert.equal(nodes.filter((node) => node['Node Type'] === 'Sort').length, 1);
});

test('the position of a message behind very many to one person: found without counting all', async (t) => {
  const db = await openTestDatabase(t);
  const rows = await db.query<{ message_id: string }>({
    text: `
      INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
      SELECT 1, 1, 1, 12025550100, gen_random_uuid(), ${NEW_ID_SQL}, now(), now() FROM generate_series(1, 5000)
      RETURNING message_id`,
  });
  for (const id of [rows[500]?.message_id, rows.at(-1)?.message_id]) {
    const [statement] = await statementsOf((noted) => findQueuePlace(noted, 1, ['12025550100'], id ?? ''));
    for (const node of await planOf(db, statement?.text, statement?.values)) {
      assert.ok(rowsRead(node) <= 1_001, `${node['Node Type']} reads ${rowsRead(node)}`);
    }
  }
});
