import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { DAY_MS, partitionName } from '../../src/database/days/partitions.ts';
import { FIRST_POSITION } from '../../src/events/event-cursor.ts';
import {
  listEventHeads,
  readEventsBetween,
  readNewestPosition,
} from '../../src/events/reading/commit-order-queries.ts';
import { listPayloads } from '../../src/inbound-webhooks/queries.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { placeBefore } from '../../src/outbound-webhooks/history/delivery-place.ts';
import {
  listAttempts,
  listDeliveriesOfEvents,
  listFailed,
} from '../../src/outbound-webhooks/history/delivery-queries.ts';
import { openTestDatabase } from '../harness/database.ts';
import { untilSettled } from '../harness/events.ts';
import { planOf, readVersion, rowsRead, statementsOf } from '../harness/query-plans.ts';

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

test('events of a small organization beside a large one: only its own are read', async (t) => {
  const db = await openTestDatabase(t);
  if ((await readVersion(db)) < 16)
    return t.skip('the server shows a generic plan without the days that it would leave out');
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
