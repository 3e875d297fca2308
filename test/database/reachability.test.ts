import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { systemClock } from '../../src/core/time/clock.ts';
import { Reachability } from '../../src/database/connection/reachability.ts';
import { openProxiedDatabase } from '../harness/proxied-database.ts';
import type { TcpProxy } from '../harness/tcp-proxy.ts';
import { until } from '../harness/tenant.ts';

async function setUp(t: TestContext, options: { silenceMs?: number } = {}) {
  const { connectionString, proxy, db } = await openProxiedDatabase(t, { connectionsMax: 2 });
  return { connectionString, proxy, db, reachability: new Reachability({ db, clock: systemClock, ...options }) };
}

async function untilMended(proxy: TcpProxy, reachability: Reachability): Promise<void> {
  await proxy.mend();
  await until('the database is reached', async () => (await reachability.isGiven()) || undefined);
}

test('a database that refuses connections: unreachable until it accepts them', async (t) => {
  const { proxy, reachability } = await setUp(t);
  assert.equal(await reachability.isGiven(), true);
  await proxy.cut();
  assert.equal(await reachability.isGiven(), false);
  await untilMended(proxy, reachability);
});

test('a silent database: reachable until it has been silent for long', async (t) => {
  const { proxy, reachability } = await setUp(t, { silenceMs: 1_500 });
  assert.equal(await reachability.isGiven(), true);
  proxy.stall();
  assert.equal(await reachability.isGiven(), true);
  await until('it counts as gone', async () => !(await reachability.isGiven()) || undefined);
  assert.equal(await reachability.isGiven(), false, 'it was asked anew, and is silent still');
  await untilMended(proxy, reachability);
});

test('callers that ask a silent database: share one connection', async (t) => {
  const { proxy, db, reachability } = await setUp(t);
  proxy.stall();
  await Promise.all(Array.from({ length: 8 }, () => reachability.isGiven()));
  assert.equal(db.waiting(), 0);
  await proxy.mend();
});

test('a read-only database: unreachable, and no connection survives that', async (t) => {
  const { connectionString, db, reachability } = await setUp(t);
  const name = new URL(connectionString).pathname.slice(1);
  const admin = new pg.Client({ connectionString, options: '-c default_transaction_read_only=off' });
  await admin.connect();
  try {
    await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await until('it counts as unreachable', async () => !(await reachability.isGiven()) || undefined);
    await assert.rejects(db.query({ text: 'SELECT 1' }), { code: '25006' });
    await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await until('it is reachable', async () => (await reachability.isGiven()) || undefined);
  } finally {
    await admin.end();
  }
});
