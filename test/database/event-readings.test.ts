import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import type { Database } from '../../src/database/database.ts';
import { type Event, FIRST_POSITION, readCommittedEvents, readEventsBetween } from '../../src/events/index.ts';
import { listOrganizationsWithEvents } from '../../src/events/reading/commit-order-queries.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { openTestDatabase } from '../harness/database.ts';
import { untilSettled } from '../harness/events.ts';

const HOUR_MS = 60 * 60 * 1000;

/** Opens a database with the event partitions of today. */
async function openEventDatabase(t: TestContext): Promise<Database> {
  const db = await openTestDatabase(t);
  await preparePartitions({ db, clock: systemClock });
  return db;
}

/** Inserts `count` events of an organization at `at`. */
async function happen(db: Database, organizationId: string, count: number, at = new Date()): Promise<void> {
  await db.query({
    text: `
      INSERT INTO event (organization_id, subject_id, at, type, sequence, occurred_at, detail)
      SELECT $1, gen_random_uuid(), $3, 10, 1, $3, '{}' FROM generate_series(1, $2)`,
    values: [organizationId, count, at],
  });
}

test('reading own events: many events of others before them → no read examines all of those', async (t) => {
  const db = await openEventDatabase(t);
  const [own, others] = [newId(), newId()];
  await happen(db, own, 2);
  await happen(db, others, 120_000);
  await happen(db, own, 3);
  await untilSettled(db);
  const counts: number[] = [];
  for (let from = FIRST_POSITION, isCut = true; isCut; ) {
    const read = await readCommittedEvents(db, from, [own], 500, 1_000_000);
    assert.ok(read.events.every((event) => event.organizationId === own));
    counts.push(read.events.length);
    from = read.next;
    isCut = read.isCut;
  }
  assert.deepEqual(counts, [2, 0, 3]);
});

test('reading a time range: many events before it → no read examines all of those', async (t) => {
  const db = await openEventDatabase(t);
  const organizationId = newId();
  const dayMs = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS;
  for (const [hour, count] of [
    [1, 40_000],
    [1, 40_000],
    [1, 40_000],
    [2, 600],
    [3, 10],
  ] as const) {
    await happen(db, organizationId, count, new Date(dayMs + hour * HOUR_MS));
  }
  await untilSettled(db);
  const range = { fromMs: dayMs + 2 * HOUR_MS, toMs: dayMs + 3 * HOUR_MS };
  const pages: Event[][] = [];
  for (let after: typeof FIRST_POSITION | undefined = FIRST_POSITION; after !== undefined; ) {
    const read = await readEventsBetween(db, organizationId, after, range, 500, 1_000_000);
    pages.push(read.events);
    after = read.next;
  }
  assert.deepEqual(
    pages.map((page) => page.length),
    [0, 0, 0, 500, 100],
  );
  assert.equal(new Set(pages.flat().map((event) => event.id)).size, 600);
});

test('a flood of events: owners are not looked up; every waiting caller has to look', async (t) => {
  const db = await openEventDatabase(t);
  const [first, second] = [newId(), newId()];
  assert.deepEqual((await listOrganizationsWithEvents(db, FIRST_POSITION)).organizationIds, []);
  await happen(db, first, 3);
  await happen(db, second, 2);
  await untilSettled(db);
  const few = await listOrganizationsWithEvents(db, FIRST_POSITION);
  assert.deepEqual(new Set(few.organizationIds), new Set([first, second]));
  await happen(db, first, 20_000);
  await untilSettled(db);
  const flood = await listOrganizationsWithEvents(db, few.horizon);
  assert.equal(flood.organizationIds, null);
  assert.deepEqual((await listOrganizationsWithEvents(db, flood.horizon)).organizationIds, []);
});
