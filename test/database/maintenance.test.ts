import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import pino from 'pino';
import { firstIdAt, newId, wamidDigest } from '../../src/core/ids.ts';
import { Chores } from '../../src/core/run/chores.ts';
import type { Clock } from '../../src/core/time/clock.ts';
import { SteadyClock } from '../../src/core/time/steady-clock.ts';
import type { Database, Statement } from '../../src/database/database.ts';
import { dropPast, type MaintenanceDeps, preparePartitions, scheduleMaintenance } from '../../src/maintenance.ts';
import { openTestDatabase } from '../harness/database.ts';
import { fakeDatabase } from '../harness/fake-database.ts';
import { createManualClock } from '../harness/manual-clock.ts';
import { until } from '../harness/tenant.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const ORGANIZATION = '0199c0de-0000-7000-8000-000000000001';
const retention = { messageDays: 90, webhookDays: 14, auditDays: 400 };
const log = pino({ level: 'silent' });

const db = await openTestDatabase({ after });

async function listDays(table: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>({
    text: 'SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = $1::regclass ORDER BY 1',
    values: [table],
  });
  return rows.map(({ name }) => name.slice(-8));
}

function clockAt(iso: string) {
  return createManualClock(Date.parse(iso));
}

/** Returns the database as seen with this machine clock. */
function withClock(clock: Pick<Clock, 'now'>): Database {
  return {
    ...db,
    query: async (statement) => {
      const rows = await db.query(statement);
      return (statement.name === 'database_time' ? [{ atMs: clock.now() }] : rows) as never;
    },
  };
}

/** Creates chores that end with the test. */
function createChores(t: TestContext, clock: Clock): Chores {
  const chores = new Chores({ clock, log });
  t.after(() => chores.stop());
  return chores;
}

/** Starts the maintenance of a database without deliveries. */
function maintain(
  chores: Pick<Chores, 'every' | 'stopped'>,
  deps: Pick<MaintenanceDeps, 'db' | 'clock'> & Partial<MaintenanceDeps>,
): void {
  const media = { db: deps.db, clock: deps.clock } as never;
  const outboundWebhooks = { sweep: async () => {} };
  scheduleMaintenance(chores, { log, media, outboundWebhooks, retention, random: Math.random, ...deps });
}

async function storeMessage(atMs: number): Promise<{ id: string; wamid: string }> {
  const id = firstIdAt(atMs).slice(0, 24) + newId().slice(24);
  const wamid = `wamid.${id}`;
  await db.query({
    text: `WITH ref AS (INSERT INTO wamid_ref (wamid_digest, organization_id, message_id) VALUES ($4, $1, $2))
           INSERT INTO message (organization_id, id, number_id, direction, type, body, status, accepted_at, wamid)
           VALUES ($1, $2, 1, 0, 'text', '{}', 1, $5, $3)`,
    values: [ORGANIZATION, id, wamid, wamidDigest(wamid), new Date(atMs)],
  });
  return { id, wamid };
}

async function countRefs(): Promise<number> {
  const [row] = await db.query<{ count: number }>({ text: 'SELECT count(*) FROM wamid_ref' });
  return row?.count ?? 0;
}

test('nodes that start at the same moment: create the same days together', async () => {
  const clock = clockAt('2026-01-10T12:00:00Z');
  await Promise.all(Array.from({ length: 6 }, () => preparePartitions({ db, clock })));
  for (const table of ['message', 'event', 'send_attempt', 'upstream_journal']) {
    assert.deepEqual(await listDays(table), ['20260109', '20260110', '20260111', '20260112', '20260113']);
  }
});

test('received webhooks and events: dropped after their retention days', async () => {
  await dropPast({ db, clock: clockAt('2026-01-27T00:00:00Z'), retention });
  assert.deepEqual(await listDays('upstream_journal'), ['20260113']);
  assert.equal((await listDays('event')).length, 5);
  await dropPast({ db, clock: clockAt('2026-02-11T00:00:00Z'), retention });
  assert.deepEqual(await listDays('event'), ['20260112', '20260113']);
});

test('a day of messages past its time with none queued: dropped with its references', async () => {
  const oldMs = Date.parse('2026-01-10T08:00:00Z');
  const old = await storeMessage(oldMs);
  await storeMessage(oldMs + DAY_MS);
  // More rows than one batch examines.
  const wamids = Array.from({ length: 5_001 }, (_, index) => `wamid.old.${index}`);
  await db.query({
    text: `WITH made AS (
             SELECT (left($2::text, 24) || lpad(to_hex(n), 12, '0'))::uuid AS id, wamid, digest
             FROM unnest($4::text[], $5::uuid[]) WITH ORDINALITY AS w (wamid, digest, n)
           ), ref AS (
             INSERT INTO wamid_ref (wamid_digest, organization_id, message_id) SELECT digest, $1, id FROM made
           )
           INSERT INTO message (organization_id, id, number_id, direction, type, body, status, accepted_at, wamid)
           SELECT $1, id, 1, 0, 'text', '{}', 1, $3, wamid FROM made`,
    values: [ORGANIZATION, old.id, new Date(oldMs), wamids, wamids.map(wamidDigest)],
  });
  await db.query({
    text: `INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
           VALUES (1, 1, 4, 15550001, $1, $2, $3, $3)`,
    values: [newId(), old.id, new Date(oldMs)],
  });
  const dayAfter = clockAt('2026-04-11T00:00:00Z');
  await dropPast({ db, clock: dayAfter, retention });
  assert.ok((await listDays('message')).includes('20260110'), 'what is queued keeps its day');
  assert.ok(!(await listDays('message')).includes('20260109'), 'the day before held nothing');

  await db.query({ text: 'DELETE FROM send_queue' });
  await dropPast({ db, clock: dayAfter, retention });
  assert.deepEqual(await listDays('message'), ['20260111', '20260112', '20260113']);
  assert.equal(await countRefs(), 1, 'the younger message can still be found by its wamid');
});

test('a day of messages that another node drops at the same time: dropped', async () => {
  const dayMs = Date.parse('2026-10-02T08:00:00Z');
  await preparePartitions({ db, clock: clockAt('2026-10-02T12:00:00Z') });
  await storeMessage(dayMs);
  const dayAfter = clockAt('2027-01-01T00:00:00Z');
  const slower: Database = {
    ...db,
    query: async (statement) => {
      const rows = await db.query(statement);
      if (statement.name === 'queue_has_before') await dropPast({ db, clock: dayAfter, retention });
      return rows as never;
    },
  };
  await dropPast({ db: slower, clock: dayAfter, retention });
  assert.equal((await listDays('message'))[0], '20261003');
});

test('a payload: recognized as repeated for as long as the upstream may repeat it', async (t) => {
  const clock = clockAt('2026-04-20T12:00:00Z');
  for (const day of ['17', '20']) await preparePartitions({ db, clock: clockAt(`2026-04-${day}T12:00:00Z`) });
  const [past, repeated] = [newId(), newId()];
  await db.query({
    text: 'INSERT INTO upstream_digest (digest, received_at) VALUES ($1, $2), ($3, $4)',
    values: [past, new Date(clock.now() - 8 * DAY_MS), repeated, new Date(clock.now() - 6 * DAY_MS)],
  });
  maintain(createChores(t, clock), { db, clock, retention: { ...retention, webhookDays: 2 } });
  clock.advance(HOUR_MS);
  const left = await until('what is past is forgotten', async () => {
    const rows = await db.query<{ digest: string }>({ text: 'SELECT digest FROM upstream_digest' });
    return rows.length < 2 ? rows : undefined;
  });
  assert.deepEqual(left, [{ digest: repeated }]);
});

test('a leap of all clocks: creates days at once and drops nothing for a day', async (t) => {
  const manual = clockAt('2026-05-01T12:00:00Z');
  await preparePartitions({ db, clock: manual });
  let leaptMs = 0;
  const machine = { ...manual, now: () => manual.now() + leaptMs };
  const clock = new SteadyClock(machine);
  const asked: string[] = [];
  const onMachine = withClock(machine);
  const noted: Database = {
    ...onMachine,
    query: (statement) => {
      asked.push(statement.name ?? '');
      return onMachine.query(statement);
    },
  };
  maintain(createChores(t, clock), { db: noted, clock });
  leaptMs = 60 * DAY_MS;
  manual.advance(10_000);
  await until('the clock has followed', () => clock.now() === machine.now() || undefined);
  await until('there are days to store into at once', async () =>
    (await listDays('event')).includes('20260630') ? true : undefined,
  );
  asked.length = 0;
  manual.advance(HOUR_MS);
  await until('days are made', () => {
    manual.advance(1_000);
    return asked.includes('partition_list') || undefined;
  });
  assert.ok((await listDays('event')).includes('20260501'));
  let hours = 1;
  await until('days are dropped', async () => {
    manual.advance(HOUR_MS);
    hours += 1;
    return !(await listDays('event')).includes('20260501') || undefined;
  });
  assert.ok(hours >= 24, `${hours} hours`);
});

test('a node started after a leap of all clocks: drops nothing for a day', async (t) => {
  await preparePartitions({ db, clock: clockAt('2025-05-01T12:00:00Z') });
  const clock = clockAt('2025-07-01T23:00:00Z');
  await preparePartitions({ db, clock });
  await db.query({
    text: `INSERT INTO idempotency_key (organization_id, number_id, key_digest, message_id, fingerprint, created_at)
           VALUES ($1, 1, $2, $2, $2, '2025-05-01T12:00:00Z')`,
    values: [ORGANIZATION, newId()],
  });
  const isKept = async () => {
    const keys = await db.query({ text: 'SELECT FROM idempotency_key' });
    return keys.length === 1 && (await listDays('event')).includes('20250501');
  };
  maintain(createChores(t, clock), { db, clock });
  let hours = 0;
  await until('what is past is forgotten', async () => {
    clock.advance(HOUR_MS);
    hours += 1;
    return !(await isKept()) || undefined;
  });
  assert.ok(hours >= 24, `${hours} hours`);
});

test('nodes that live under an hour: still clean up as often as others, not all at once', async (t) => {
  const sweptAfterMs: number[] = [];
  const asked = new Set<string | undefined>();
  for (let part = 0; part < 12; part += 1) {
    const clock = clockAt('2026-08-01T12:00:00Z');
    const query = async ({ name }: Statement) => {
      asked.add(name);
      if (name === 'idempotency_key_delete_older') sweptAfterMs.push(clock.monotonicMs());
      return [];
    };
    const db = fakeDatabase({ query });
    const outboundWebhooks = { sweep: async () => void asked.add('outbound_webhooks') };
    maintain(createChores(t, clock), { db, clock, outboundWebhooks, random: () => part / 12 });
    for (let seconds = 0; seconds < 1_800; seconds += 10) {
      clock.advance(10_000);
      await new Promise(setImmediate);
    }
  }
  assert.equal(sweptAfterMs.length, 7, 'half of those that live for half an hour');
  assert.equal(new Set(sweptAfterMs).size, sweptAfterMs.length);
  const looked = ['table_statistics_outdated', 'open_transaction_oldest', 'usage_close_slots'];
  const forgotten = ['upstream_digest', 'idempotency_key', 'early_status', 'media', 'usage_day'].map(
    (of) => `${of}_delete_older`,
  );
  const wanted = [...looked, ...forgotten, 'conversation_expire', 'outbound_webhooks'];
  assert.deepEqual([...asked].filter((name) => wanted.includes(name ?? '')).sort(), wanted.sort());
});

test('a database down for longer than days are made ahead: has days again at once', async () => {
  const manual = clockAt('2026-06-10T12:00:00Z');
  await preparePartitions({ db, clock: manual });
  const clock = new SteadyClock(manual);
  const chores: { everyMs: number; work: () => Promise<void> }[] = [];
  const noted: Pick<Chores, 'every' | 'stopped'> = {
    stopped: false,
    every(everyMs, work) {
      chores.push({ everyMs: Number(everyMs), work });
      return () => {};
    },
  };
  maintain(noted, { db: withClock(manual), clock });
  manual.leap(5 * DAY_MS);
  for (let seconds = 10; seconds <= 30; seconds += 10) {
    manual.advance(10_000);
    for (const { everyMs, work } of chores) if (everyMs <= 10_000) await work();
  }
  assert.ok((await listDays('event')).includes('20260615'), 'after half a minute');
});

test('a day: created during a backup, with all properties of its tables', async () => {
  const tables = ['message', 'event', 'send_attempt', 'upstream_journal', 'webhook_delivery', 'webhook_attempt'];
  await db.transaction(async (backup) => {
    await backup.query({ text: `LOCK TABLE ${tables.join()} IN ACCESS SHARE MODE` });
    await preparePartitions({ db, clock: clockAt('2026-07-01T00:00:00Z') });
  });
  // Without the identity of columns: days have it from PostgreSQL 17 on, and rows are stored through the table of all days.
  const describe = (table: string) =>
    db.query({
      text: `SELECT a.attname, a.atttypid, a.attnotnull, pg_get_expr(d.adbin, d.adrelid) AS preset,
                    (SELECT count(*) FROM pg_index WHERE indrelid = a.attrelid AND indisvalid) AS indexes
             FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
             WHERE a.attrelid = $1::regclass AND a.attnum > 0 ORDER BY a.attnum`,
      values: [table],
    });
  for (const table of tables) assert.deepEqual(await describe(`${table}_20260704`), await describe(table));
});

test('a day that is being read: dropped soon after, or in the next round if the read goes on', async (t) => {
  await preparePartitions({ db, clock: clockAt('2027-03-01T00:00:00Z') });
  const clock = clockAt('2027-05-01T00:00:00Z');
  const time = setInterval(() => clock.advance(1_000), 10);
  t.after(() => clearInterval(time));
  let refused = 0;
  const noted: Database = {
    ...db,
    transaction: (work) =>
      db.transaction(work).catch((error) => {
        refused += 1;
        throw error;
      }),
  };
  const drop = () => dropPast({ db: noted, clock, retention });
  const whileRead = (work: () => Promise<unknown>) =>
    db.transaction(async (tx) => {
      await tx.query({ text: 'LOCK TABLE event IN ACCESS SHARE MODE' });
      await work();
    });

  await whileRead(() => assert.rejects(drop(), /^Error: event_\d{8} was not dropped/));
  assert.equal(refused, 20);
  assert.ok((await listDays('event')).length > 0);
  for (const other of ['send_attempt', 'webhook_attempt'])
    assert.deepEqual(
      (await listDays(other)).filter((day) => day < '20270309'),
      [],
      other,
    );

  refused = 0;
  let dropped: Promise<void> | undefined;
  await whileRead(async () => {
    dropped = drop();
    dropped.catch(() => {});
    await until('the drop has been refused', () => refused > 0 || undefined);
  });
  await dropped;
  assert.deepEqual(await listDays('event'), []);
});
