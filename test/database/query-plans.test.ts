import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { DAY_MS, partitionName } from '../../src/database/days/partitions.ts';
import { findQueuePlace } from '../../src/dispatch/outcomes/attempt-queries.ts';
import { recordCompletions } from '../../src/dispatch/outcomes/result-queries.ts';
import { countQueued } from '../../src/dispatch/queue/queue-count-queries.ts';
import { listExpired } from '../../src/dispatch/queue/queue-queries.ts';
import { FIRST_POSITION } from '../../src/events/event-cursor.ts';
import { listEventsByKey, listEventsOfMessage, readEventsByRef } from '../../src/events/queries.ts';
import {
  listEventHeads,
  readCommittedEvents,
  readEventsBetween,
  readNewestPosition,
} from '../../src/events/reading/commit-order-queries.ts';
import { recordEvents } from '../../src/events/record-queries.ts';
import { sweepDigests } from '../../src/inbound-webhooks/index.ts';
import { journalPayloads, listPayloads } from '../../src/inbound-webhooks/queries.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { sweepMedia } from '../../src/media/index.ts';
import { insertInbound } from '../../src/messages/inbound/inbound-queries.ts';
import { sweepEarlyStatuses, sweepIdempotencyKeys } from '../../src/messages/index.ts';
import { type MessageSearch, searchMessages } from '../../src/messages/lookup/list-queries.ts';
import { findMessage, findRefusedTemplates, findSettled } from '../../src/messages/queries.ts';
import { applyStatuses } from '../../src/messages/statuses/status-queries.ts';
import { lockUsage } from '../../src/organizations/usage/usage-queries.ts';
import { placeBefore } from '../../src/outbound-webhooks/history/delivery-place.ts';
import {
  listAttempts,
  listDeliveriesOfEvents,
  listFailed,
} from '../../src/outbound-webhooks/history/delivery-queries.ts';
import { insertQueueRows, listFreshRows } from '../../src/outbound-webhooks/queue/queue-queries.ts';
import { takeBackEnds } from '../../src/outbound-webhooks/queue/settlement-queries.ts';
import { noteTemplateRefused } from '../../src/templates/index.ts';
import { writeTemplates } from '../../src/templates/queries.ts';
import { listTemplates } from '../../src/templates/records/record-queries.ts';
import { openTestDatabase } from '../harness/database.ts';
import { untilSettled } from '../harness/events.ts';
import { planOf, rowsRead, statementsOf } from '../harness/query-plans.ts';
import { templateNode } from '../harness/upstream-waba.ts';

/** The key that finds a row, besides the conditions that all rows of an organization or node share. */
const KEYS: readonly [table: RegExp, key: RegExp][] = [
  [/^(?:message|event)_\d{8}$/, /\b(?:id|subject_id) = /],
  [/^usage_(?:counter|recent)$/, /\borganization_id = /],
];
const EVERY_MESSAGE: Omit<MessageSearch, 'organizationId'> = {
  fromId: '00000000-0000-0000-0000-000000000000',
  beforeId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  from: new Date(0),
  to: new Date('9999-01-01'),
  numberIds: undefined,
  contact: undefined,
  status: undefined,
  type: undefined,
  template: undefined,
  direction: undefined,
  errorCode: undefined,
  callbackData: undefined,
  limit: 20,
};
const EVENT = {
  id: '0',
  organizationId: '0',
  type: 'upstream.other',
  occurredAtMs: 0,
  detail: '{}',
} as const;

test('plans made on empty tables: find rows by key, not among all of an organization', async (t) => {
  const db = await openTestDatabase(t);
  await preparePartitions({ db, clock: systemClock });

  const statements = await statementsOf(async (noted) => {
    await applyStatuses(noted, [], Date.now());
    await lockUsage(noted, [], 0);
    await recordCompletions(noted, '0', [], [], Date.now());
    await findSettled(noted, [{ organizationId: '0', messageId: newId() }], Date.now());
    await listEventsByKey(noted, '0', []);
    await listEventsOfMessage(noted, '0', '0');
    await readEventsByRef(
      noted,
      [{ organizationId: '0', subjectId: newId(), sequence: 1, atSeconds: 0 }],
      0,
      Date.now(),
    );
    await recordEvents(noted, [EVENT]);
    await insertQueueRows(noted, [], 0);
  });
  for (const { name, text } of statements) {
    const nodes = await planOf(db, text);
    const [, tables = ''] = name.split('@');
    const isOfDays = tables.startsWith('message_');
    for (const node of nodes) {
      const relation = node['Relation Name'] ?? node['Index Name']?.replace(/_pkey$/, '') ?? '';
      if (isOfDays && relation.startsWith('message_'))
        assert.ok(tables.includes(relation), `${name} opens ${relation}`);
      const [, key] = KEYS.find(([table]) => table.test(relation)) ?? [];
      if (node['Index Name'] === undefined || key === undefined) continue;
      const used = `${name}: ${node['Index Name']} ${node['Index Cond']}`;
      assert.match(node['Index Name'], /_pkey$/, used);
      assert.match(node['Index Cond'] ?? '', key, used);
    }
  }
});

test('delivery attempts: found by their events, not among all of an endpoint', async (t) => {
  const db = await openTestDatabase(t);
  await preparePartitions({ db, clock: systemClock });
  const statements = await statementsOf(async (noted) => {
    await listAttempts(noted, { organizationId: '0', endpointNumber: 1 }, []);
    await listDeliveriesOfEvents(noted, '0', []);
  });
  const check = async () => {
    for (const { name, text } of statements) {
      const scans = (await planOf(db, text)).filter((node) =>
        /^webhook_(?:attempt|delivery)_/.test(node['Index Name'] ?? ''),
      );
      assert.ok(scans.length > 0, name);
      for (const { 'Index Name': index, 'Index Cond': condition = '' } of scans)
        assert.match(condition, /\bsubject_id = .*\bsequence = /, `${name}: ${index}`);
    }
  };

  await check();
  await db.query({
    text: `
      WITH one AS (SELECT gen_random_uuid() AS organization, n FROM generate_series(1, 100) n),
      event AS (SELECT one.*, gen_random_uuid() AS id FROM one, generate_series(1, 100)),
      delivered AS (
        INSERT INTO webhook_delivery (organization_id, endpoint_number, event_at, subject_id, sequence, event_type, delivered, attempts,
                                      settled_at)
        SELECT organization, n, now(), id, 1, 1, true, 2, now() FROM event
      )
      INSERT INTO webhook_attempt (organization_id, endpoint_number, subject_id, sequence, at)
      SELECT organization, n, id, 1, now() FROM event`,
  });
  await db.query({ text: 'ANALYZE webhook_delivery, webhook_attempt' });
  await check();
});

test('failures since a moment: found by time, with a plan made before any failure', async (t) => {
  const db = await openTestDatabase(t);
  await preparePartitions({ db, clock: systemClock });
  const organizationId = newId();
  const owner = { organizationId, endpointNumber: 1 };
  const nowMs = Date.now();
  const [statement] = await statementsOf((noted) =>
    listFailed(noted, owner, { place: placeBefore(nowMs - 100_000), untilMs: nowMs, limit: 50 }),
  );
  const looked = (await planOf(db, statement?.text)).filter((node) => node['Index Name']);
  assert.ok(looked.length > 0);
  for (const { 'Index Cond': condition = '' } of looked) assert.match(condition, /settled_at.* > .*settled_at < /);

  // Deliveries settled in another order than their events, one per second.
  await db.query({
    text: `
      INSERT INTO webhook_delivery (organization_id, endpoint_number, event_at, subject_id, sequence, event_type, delivered, attempts,
                                    settled_at)
      SELECT $1, 1, $2::timestamptz, gen_random_uuid(), 1, 1, false, 12, $2::timestamptz - n * interval '1 second'
      FROM generate_series(1, 5000) n`,
    values: [organizationId, new Date(nowMs)],
  });
  await db.query({ text: 'ANALYZE webhook_delivery' });
  const scans = (await planOf(db, statement?.text, statement?.values)).filter((node) => node['Index Name']);
  const read = scans.reduce((sum, node) => sum + rowsRead(node), 0);
  assert.ok(read >= 50 && read <= 60, `${read} of 5000 read`);
});

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

test('the number of a message or event: looked up alone, in an organization of any size', async (t) => {
  const db = await openTestDatabase(t);
  await preparePartitions({ db, clock: systemClock });
  await db.query({
    text: `
      WITH one AS (
        INSERT INTO organization (id, name, created_at) SELECT gen_random_uuid(), n::text, now() FROM generate_series(1, 500) n RETURNING id, name
      ),
      waba AS (
        INSERT INTO waba (organization_id, waba_id, token_sealed, connected_at) SELECT id, name, '', now() FROM one RETURNING *
      )
      INSERT INTO sending_number (organization_id, phone_number_id, account_id, waba_id, phone_number, registered, created_at, updated_at)
      SELECT organization_id, waba_id || '.' || n, gen_random_uuid(), waba_id, n, true, now(), now()
      FROM waba, generate_series(1, CASE waba_id WHEN '1' THEN 500 ELSE 1 END) n`,
  });
  await db.query({ text: 'ANALYZE sending_number' });
  const statements = await statementsOf(async (noted) => {
    await findMessage(noted, '0', '0');
    await searchMessages(noted, { ...EVERY_MESSAGE, organizationId: '0' }).catch(() => {});
    await findRefusedTemplates(
      noted,
      [{ organizationId: '0', messageId: newId(), code: '132015', begunAtMs: 0 }],
      Date.now(),
    );
    await listEventsByKey(noted, '0', []);
    await listEventsOfMessage(noted, '0', '0');
    const ref = { organizationId: '0', subjectId: newId(), sequence: 1, atSeconds: 0 };
    await readEventsByRef(noted, [ref], 0, Date.now()).catch(() => {});
    await readCommittedEvents(noted, FIRST_POSITION, null, 1, 1).catch(() => {});
    await readEventsBetween(noted, '0', FIRST_POSITION, { fromMs: 0, toMs: 1 }, 1, 1).catch(() => {});
  }, []);
  assert.equal(statements.length, 8);
  for (const { name, text } of statements) {
    const scans = (await planOf(db, text)).filter((node) => node['Relation Name'] === 'sending_number');
    assert.ok(scans.length > 0, name);
    for (const scan of scans) assert.match(scan['Index Cond'] ?? '', /\bnumber_id = /, name);
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

test('events of a small organization beside a large one: only its own are read', async (t) => {
  const db = await openTestDatabase(t);
  await preparePartitions({ db, clock: systemClock });
  const today = partitionName('event', Date.now());
  const statements = await statementsOf(
    async (noted) => {
      await listEventHeads(noted, '0', FIRST_POSITION, 1);
      await readNewestPosition(noted, '0').catch(() => {});
      await readEventsBetween(noted, '0', FIRST_POSITION, { fromMs: 0, toMs: 1 }, 1, 1).catch(() => {});
    },
    [{ horizon: '0', subject_id: null }],
  );
  const check = async () => {
    for (const { name, text } of statements) {
      const nodes = await planOf(db, text);
      const read = nodes.filter((node) => node['Relation Name'] === today);
      assert.ok(read.length > 0, name);
      for (const node of read)
        assert.match(node['Index Cond'] ?? '', /organization_id = /, `${name}: ${node['Index Name']}`);
    }
  };

  await db.transaction(async (open) => {
    await open.query({ text: 'SELECT pg_current_xact_id()' });
    const [small, large] = [newId(), newId()];
    for (let part = 0; part < 20; part += 1) {
      await db.query({
        text: `
          INSERT INTO event (organization_id, subject_id, type, sequence, occurred_at)
          SELECT CASE WHEN n % 50 = 0 THEN $1::uuid ELSE $2::uuid END, gen_random_uuid(), 0, 1, now() FROM generate_series(1, 1000) n`,
        values: [small, large],
      });
    }
    await db.query({ text: 'ANALYZE event' });
    await check();
  });
  await check();
});

test('upstream posts since a time: read from about there, not from the start of the day', async (t) => {
  const db = await openTestDatabase(t);
  await preparePartitions({ db, clock: systemClock });
  const midnightMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const at = (hour: number) => new Date(midnightMs + (hour * DAY_MS) / 24);
  for (let hour = 0; hour < 24; hour += 1) {
    await db.query({
      text: `
        INSERT INTO upstream_journal (received_at, payload, pending)
        SELECT $1::timestamptz + n * interval '10 seconds', '', false FROM generate_series(0, 359) n`,
      values: [at(hour)],
    });
  }
  await db.query({ text: 'ANALYZE upstream_journal' });
  await untilSettled(db);
  const [statement] = await statementsOf((noted) =>
    listPayloads(noted, { xid: '0', id: 0 }, { from: at(20), to: at(48) }, 200, 1_000_000),
  );
  const scans = (await planOf(db, statement?.text, statement?.values)).filter((node) =>
    node['Relation Name']?.startsWith('upstream_journal'),
  );
  const read = scans.reduce((sum, node) => sum + rowsRead(node), 0);
  assert.ok(read >= 200 && read < 3 * 360, `${read} of 8640 read`);
});

test('plans made with few templates: find one by name, not among all of a WABA', async (t) => {
  const db = await openTestDatabase(t);

  const refusal = { organizationId: '0', wabaId: '0', name: 'a', language: 'en', code: '132015', begunAt: new Date() };
  const stored = { other_fields: null, name: 'a', status: 'APPROVED' };
  const written = await statementsOf(
    (noted) => writeTemplates(noted, { organizationId: '0', wabaId: '0' }, [templateNode()], 0),
    [stored],
  );
  const refused = await statementsOf((noted) =>
    noteTemplateRefused(noted, [refusal, { ...refusal, code: '132001' }], 0),
  );
  const byName = [...written, ...refused].filter(({ text }) => /(?:read|told)\.name\b/.test(text));
  assert.equal(byName.length, 3);
  for (const { text } of byName) {
    const nodes = await planOf(db, text);
    const used = nodes.find((node) => node['Index Name'] === 'template_by_name');
    assert.match(
      used?.['Index Cond'] ?? '',
      /\bname = (?:read|told)\.name\b.*\blanguage = (?:read|told)\.language\b/,
      text,
    );
  }
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

test('a page of templates: read in order from its place, not among all of an organization', async (t) => {
  const db = await openTestDatabase(t);
  const organizationId = newId();
  await db.query({
    text: `
      WITH one AS (INSERT INTO organization (id, name, created_at) VALUES ($1, 'a', now()) RETURNING id),
      waba AS (INSERT INTO waba (organization_id, waba_id, token_sealed, connected_at) SELECT id, '1', '', now() FROM one)
      INSERT INTO template (organization_id, id, waba_id, name, language, category, status, components, created_at, updated_at)
      SELECT $1, n, '1', 'name_' || n, 'en', 'UTILITY', 'APPROVED', '[]', now() - n * interval '1 second', now()
      FROM generate_series(1, 3000) n`,
    values: [organizationId],
  });
  await db.query({ text: 'ANALYZE template' });

  const statements = await statementsOf(async (noted) => {
    await listTemplates(noted, organizationId, {}, { direction: 'older', position: null, limit: 25, bytesMax: 1e6 });
    await listTemplates(noted, organizationId, {}, { direction: 'newer', position: null, limit: 25, bytesMax: 1e6 });
  });
  assert.equal(statements.length, 2);
  for (const { name, text } of statements) {
    const nodes = await planOf(db, text);
    const used = nodes.find((node) => node['Relation Name'] === 'template');
    assert.equal(used?.['Index Name'], 'template_by_age', name);
    assert.match(used?.['Index Cond'] ?? '', /created_at/, name);
    assert.ok(!nodes.some((node) => node['Node Type'] === 'Sort'), name);
  }
});

test('a full page of messages: found without reading the rows behind it', async (t) => {
  const db = await openTestDatabase(t);
  await preparePartitions({ db, clock: systemClock });
  const organizationId = newId();
  await db.query({
    text: `
      INSERT INTO message (organization_id, id, number_id, contact, callback_data, direction, type, body, status, accepted_at)
      SELECT $1, id, 1, 5, 'order', 0, 'text', '{}', 1, now() FROM unnest($2::uuid[]) id`,
    values: [organizationId, Array.from({ length: 300 }, () => newId())],
  });
  const all = { ...EVERY_MESSAGE, organizationId };
  for (const search of [all, { ...all, contact: '5' }, { ...all, callbackData: 'order' }]) {
    const [statement] = await statementsOf((noted) => searchMessages(noted, search).catch(() => {}));
    const nodes = await planOf(db, statement?.text, statement?.values);
    const looked = nodes.find((node) => node['Subplan Name'] === 'CTE scanned');
    assert.equal(looked?.['Actual Rows'], search.limit, statement?.name);
  }
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
      SELECT 1, 1, 1, 12025550100, gen_random_uuid(), uuidv7(), now(), now() FROM generate_series(1, 5000)
      RETURNING message_id`,
  });
  for (const id of [rows[500]?.message_id, rows.at(-1)?.message_id]) {
    const [statement] = await statementsOf((noted) => findQueuePlace(noted, 1, '12025550100', id ?? ''));
    for (const node of await planOf(db, statement?.text, statement?.values)) {
      assert.ok(rowsRead(node) <= 1_000, `${node['Node Type']} reads ${rowsRead(node)}`);
    }
  }
});
