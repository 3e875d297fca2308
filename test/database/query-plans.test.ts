import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { recordCompletions } from '../../src/dispatch/outcomes/result-queries.ts';
import { FIRST_POSITION } from '../../src/events/event-cursor.ts';
import { listEventsByKey, listEventsOfMessage, readEventsByRef } from '../../src/events/queries.ts';
import { readCommittedEvents, readEventsBetween } from '../../src/events/reading/commit-order-queries.ts';
import { recordEvents } from '../../src/events/record-queries.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { type MessageSearch, searchMessages } from '../../src/messages/lookup/list-queries.ts';
import { findMessage, findRefusedTemplates, findSettled } from '../../src/messages/queries.ts';
import { applyStatuses } from '../../src/messages/statuses/status-queries.ts';
import { lockUsage } from '../../src/organizations/usage/usage-queries.ts';
import { insertQueueRows } from '../../src/outbound-webhooks/queue/queue-queries.ts';
import { noteTemplateRefused } from '../../src/templates/index.ts';
import { writeTemplates } from '../../src/templates/queries.ts';
import { listTemplates } from '../../src/templates/records/record-queries.ts';
import { openTestDatabase } from '../harness/database.ts';
import { planOf, readVersion, statementsOf } from '../harness/query-plans.ts';
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
  contacts: undefined,
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
  if ((await readVersion(db)) < 17) return t.skip('the server reads up to 5,000 rows, and sorts them');
  await preparePartitions({ db, clock: systemClock });
  const organizationId = newId();
  await db.query({
    text: `
      INSERT INTO message (organization_id, id, number_id, contact, callback_data, direction, type, body, status, accepted_at)
      SELECT $1, id, 1, 5, 'order', 0, 'text', '{}', 1, now() FROM unnest($2::uuid[]) id`,
    values: [organizationId, Array.from({ length: 300 }, () => newId())],
  });
  const all = { ...EVERY_MESSAGE, organizationId };
  for (const search of [all, { ...all, contacts: ['5'] }, { ...all, callbackData: 'order' }]) {
    const [statement] = await statementsOf((noted) => searchMessages(noted, search).catch(() => {}));
    const nodes = await planOf(db, statement?.text, statement?.values);
    const looked = nodes.find((node) => node['Subplan Name'] === 'CTE scanned');
    assert.equal(looked?.['Actual Rows'], search.limit, statement?.name);
  }
});
