import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Logger, pino } from 'pino';
import { systemClock } from '../../src/core/time/clock.ts';
import { SteadyClock } from '../../src/core/time/steady-clock.ts';
import { checkClock, followClock } from '../../src/database/connection/check-clock.ts';
import { createWebhook } from '../api/webhooks/webhook-endpoint.ts';
import { openTestDatabase } from '../harness/database.ts';
import { fakeDatabase } from '../harness/fake-database.ts';
import { startGateway } from '../harness/gateway.ts';
import { admin, call, createTenant, issueKey } from '../harness/tenant.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

test("a start: the machine's clock minutes away from PostgreSQL's → refused", async (t) => {
  const db = await openTestDatabase(t);
  const checkWith = (aheadMs: number) => checkClock({ db, clock: { now: () => Date.now() + aheadMs } });
  await assert.rejects(checkWith(60 * MINUTE_MS), /is 60 minutes ahead of that of PostgreSQL/);
  await assert.rejects(checkWith(-60 * MINUTE_MS), /is 60 minutes behind that of PostgreSQL/);
  await checkWith(5 * MINUTE_MS);
  await checkWith(-5 * MINUTE_MS);
});

test('a clock difference: under ten minutes → logged; of seconds → not logged', async () => {
  let aheadMs = 0;
  const warned: string[] = [];
  const log = { warn: (message: string) => warned.push(message) } as unknown as Logger;
  const db = fakeDatabase({ query: async () => [{ atMs: Date.now() }] });
  const clock = new SteadyClock({ ...systemClock, now: () => Date.now() + aheadMs });
  for (aheadMs of [0, 5_000, -5_000]) assert.equal(await followClock({ db, clock, log }), false);
  assert.deepEqual(warned, []);
  for (aheadMs of [45_000, -9 * MINUTE_MS]) assert.equal(await followClock({ db, clock, log }), false);
  assert.deepEqual(warned, [
    'the clock of this machine is 45 seconds ahead of that of PostgreSQL: set the one that is wrong',
    'the clock of this machine is 9 minutes behind that of PostgreSQL: set the one that is wrong',
  ]);
});

test("a clock that is set at run time: counts only if PostgreSQL's is set with it", async () => {
  const log = pino({ level: 'silent' });
  const ahead = { machineMs: 0, databaseMs: 0 };
  const db = fakeDatabase({ query: async () => [{ atMs: Date.now() + ahead.databaseMs }] });
  const clock = new SteadyClock({ ...systemClock, now: () => Date.now() + ahead.machineMs });
  const follow = async (machineMs: number, databaseMs: number) => {
    Object.assign(ahead, { machineMs, databaseMs });
    const hasLeapt = await followClock({ db, clock, log });
    // Adding 0 turns -0 into 0.
    return { hasLeapt, aheadMinutes: Math.round((clock.now() - Date.now()) / MINUTE_MS) + 0 };
  };
  const { now, monotonicMs } = { ...clock };
  assert.ok(Math.abs(now() - Date.now()) < MINUTE_MS && monotonicMs() > 0, 'members can be handed on');
  assert.deepEqual(await follow(5 * MINUTE_MS, 0), { hasLeapt: false, aheadMinutes: 5 });
  assert.deepEqual(await follow(0, 0), { hasLeapt: false, aheadMinutes: 0 });
  for (const apartMs of [60 * MINUTE_MS, -60 * MINUTE_MS, 30 * DAY_MS, -30 * DAY_MS]) {
    assert.deepEqual(await follow(apartMs, 0), { hasLeapt: false, aheadMinutes: 0 });
    assert.deepEqual(await follow(0, apartMs), { hasLeapt: false, aheadMinutes: 0 });
  }
  assert.deepEqual(await follow(DAY_MS, DAY_MS), { hasLeapt: true, aheadMinutes: 24 * 60 });
  assert.deepEqual(await follow(DAY_MS, DAY_MS), { hasLeapt: false, aheadMinutes: 24 * 60 });
  assert.deepEqual(await follow(0, 0), { hasLeapt: true, aheadMinutes: 0 });
});

test("lists: newest first, even for rows made while the machine's clock was wrong", async (t) => {
  const gateway = await startGateway({ clock: new SteadyClock(), fetchAllowCidrs: ['127.0.0.0/8'] });
  t.after(() => gateway.stop());
  const tenant = await createTenant(gateway);
  const { now } = Date;
  const made: Record<'organizations' | 'keys' | 'webhooks', string[]> = { organizations: [], keys: [], webhooks: [] };
  for (const aheadMs of [DAY_MS, 0]) {
    t.mock.method(Date, 'now', () => now() + aheadMs);
    const { id } = await admin<{ id: string }>(gateway, 'POST', '/organizations', { name: 'Late' });
    made.organizations.unshift(id);
    made.keys.unshift((await issueKey(gateway, tenant)).id);
    made.webhooks.unshift((await createWebhook(gateway, tenant, { url: 'http://127.0.0.1:9/' })).id);
  }
  t.mock.restoreAll();
  const newest = ({ data }: { data: { id: string }[] }) => data.slice(0, 2).map(({ id }) => id);
  assert.deepEqual(newest(await admin(gateway, 'GET', '/organizations')), made.organizations);
  const ofTenant = `/organizations/${tenant.organizationId}/api-keys`;
  assert.deepEqual(newest(await admin(gateway, 'GET', ofTenant)), made.keys);
  assert.deepEqual(newest((await call(gateway, tenant, 'GET', '/v1/webhooks')).json), made.webhooks);
});
