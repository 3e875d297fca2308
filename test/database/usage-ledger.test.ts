import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import type { Database, Queryable } from '../../src/database/database.ts';
import { listDays, sweepUsageDays } from '../../src/organizations/usage/usage-day-queries.ts';
import {
  addUsage,
  closeUsageSlots,
  listTraffic,
  listUsage,
  lockUsage,
  readUsage,
} from '../../src/organizations/usage/usage-queries.ts';
import { openTestDatabase } from '../harness/database.ts';
import { untilWaiting } from '../harness/lock-waits.ts';

const AT_MS = Date.UTC(2026, 7, 15);
const MONTH = '2026-08';

test('counts: the same before, during and after slots are closed, on any number of nodes', async (t) => {
  const db = await openTestDatabase(t);
  const [mine, other] = [newId(), newId()];
  await count(db, mine, 'accepted', 1);
  const [present = 0] = await openSlots(db, mine);
  const past = Array.from({ length: 8 }, (_, index) => present - 2 - index);
  for (const slot of past) {
    await countIn(db, slot, mine, 'accepted', 2);
    await countIn(db, slot, mine, 'spent_micros', -3);
    await countIn(db, slot, other, 'accepted', 5);
  }
  const expected = { accepted: 2 * past.length + 1, spentMicros: -3 * past.length };
  const look = async () => {
    assert.deepEqual((await readUsage(db, [mine], AT_MS)).get(mine), expected);
    assert.deepEqual(await listUsage(db, mine, MONTH), [
      { metric: 'accepted', value: expected.accepted },
      { metric: 'spent_micros', value: expected.spentMicros },
    ]);
    assert.deepEqual(await listUsage(db, other, MONTH), [{ metric: 'accepted', value: 5 * past.length }]);
  };

  await look();
  const traffic = await listTraffic(db, 0);
  await Promise.all([closeUsageSlots(db, 0), look(), closeUsageSlots(db, 0), look(), closeUsageSlots(db, 0)]);
  await look();
  assert.equal(
    traffic.reduce((sum, { accepted }) => sum + accepted, 0),
    7 * past.length + 1,
  );
  assert.deepEqual(await listTraffic(db, 0), traffic);

  assert.deepEqual(await openSlots(db, mine), [present]);
});

test('days: the same before and after slots are closed, charges by category and country, swept', async (t) => {
  const db = await openTestDatabase(t);
  const [mine, other] = [newId(), newId()];
  const slotAt = (text: string) => Date.parse(text) / 30_000;
  const counts: [string, string, number][] = [
    ['2024-08-01T23:59:30Z', 'accepted', 2],
    ['2024-08-02T00:00:00Z', 'accepted', 3],
    ['2024-08-02T10:00:00Z', 'category:marketing', 9],
    ['2024-08-02T10:00:00Z', 'charged|7|regular|marketing|US|key-1|a|b', 1],
    ['2024-08-02T11:00:00Z', 'charged|8|regular|marketing|US|key-2|c', 1],
    ['2024-08-02T11:00:00Z', 'charged_micros|8|regular|marketing|US|key-2|c', 25_001],
    ['2024-09-01T00:00:00Z', 'accepted', 100],
  ];
  for (const [at, metric, value] of counts) {
    await countIn(db, slotAt(at), mine, metric, value);
    await countIn(db, slotAt(at), other, metric, 1);
  }
  const look = async (organizationId: string) => {
    const days = await listDays(db, organizationId, '2024-08');
    return days.map(({ day, metric, value }) => `${day} ${metric} ${value}`).sort();
  };
  const expected = [
    '2024-08-01 accepted 2',
    '2024-08-02 accepted 3',
    '2024-08-02 charged_micros|marketing|US 25001',
    '2024-08-02 charged|marketing|US 2',
  ];
  assert.deepEqual(await look(mine), expected);
  await Promise.all([closeUsageSlots(db, 0), closeUsageSlots(db, 0)]);
  assert.deepEqual(await look(mine), expected);
  assert.equal((await look(other)).length, expected.length);
  await sweepUsageDays(db, Date.UTC(2024, 7, 2));
  assert.deepEqual(await look(mine), expected.slice(1));
});

test('the plan: counts slots not closed yet, and counts in a closed slot', async (t) => {
  const db = await openTestDatabase(t);
  const organization = newId();
  const past = await slotOver(db);
  await countIn(db, past, organization, 'accepted', 1);
  const next = await closeUsageSlots(db, 0);
  await countIn(db, past - 1, organization, 'accepted', 10);
  assert.equal((await readUsage(db, [organization], AT_MS)).get(organization)?.accepted, 11);
  await closeUsageSlots(db, next);
  assert.equal((await readUsage(db, [organization], AT_MS)).get(organization)?.accepted, 11);
  assert.deepEqual(await openSlots(db, organization), []);

  await countIn(db, past - 1_000, organization, 'accepted', 100);
  assert.deepEqual(await listUsage(db, organization, MONTH), [{ metric: 'accepted', value: 111 }]);
  await closeUsageSlots(db, 0);
  assert.equal((await readUsage(db, [organization], AT_MS)).get(organization)?.accepted, 111);
});

test("the holder of a plan's locks: counts alone; slots are closed after it", async (t) => {
  const db = await openTestDatabase(t);
  const organization = newId();
  await countIn(db, await slotOver(db), organization, 'accepted', 7);
  const under: Promise<unknown>[] = [];
  await db.transaction(async (tx) => {
    assert.equal((await lockUsage(tx, [organization], AT_MS)).get(organization)?.accepted, 7);
    under.push(closeUsageSlots(db, 0));
    await untilWaiting(db);
    await count(tx, organization, 'accepted', 1);
    assert.equal((await readUsage(tx, [organization], AT_MS)).get(organization)?.accepted, 8);
  });
  await Promise.all(under);
  assert.equal((await readUsage(db, [organization], AT_MS)).get(organization)?.accepted, 8);
});

test("a limit: holds if PostgreSQL's clock goes back, for example after a failover", async (t) => {
  const db = await openTestDatabase(t);
  const organization = newId();
  const past = await slotOver(db);
  await db.query({
    text: `INSERT INTO usage_counter (organization_id, month, metric, value, last_slot) VALUES ($1, $2, 'accepted', 100, $3)`,
    values: [organization, `${MONTH}-01`, past + 20],
  });
  const accepted = async () => (await readUsage(db, [organization], AT_MS)).get(organization)?.accepted;

  await count(db, organization, 'accepted', 1);
  await countIn(db, past, organization, 'accepted', 10);
  assert.equal(await accepted(), 111);
  await closeUsageSlots(db, 0);
  assert.equal(await accepted(), 111);
});

async function count(db: Queryable, organization: string, metric: string, amount: number): Promise<void> {
  const amounts = 'SELECT $1::uuid AS organization_id, $2::date AS month, $3 AS metric, $4::bigint AS amount';
  await db.query({ text: addUsage(amounts), values: [organization, `${MONTH}-01`, metric, amount] });
}

/** Counts as a transaction does that began in this slot. */
async function countIn(db: Database, slot: number, organization: string, metric: string, amount: number) {
  await db.query({
    text: `
      INSERT INTO usage_recent AS u (organization_id, month, metric, slot, value) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (organization_id, month, metric, slot) DO UPDATE SET value = u.value + excluded.value`,
    values: [organization, `${MONTH}-01`, metric, slot, amount],
  });
}

async function openSlots(db: Queryable, organization: string): Promise<number[]> {
  const rows = await db.query<{ slot: number }>({
    text: 'SELECT DISTINCT slot FROM usage_recent WHERE organization_id = $1 ORDER BY slot DESC',
    values: [organization],
  });
  return rows.map(({ slot }) => slot);
}

/** Returns the last slot that can be closed. */
async function slotOver(db: Queryable): Promise<number> {
  const somebody = newId();
  await count(db, somebody, 'accepted', 1);
  const [present = 0] = await openSlots(db, somebody);
  return present - 2;
}
