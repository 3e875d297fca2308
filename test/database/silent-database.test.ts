import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openDatabase } from '../../src/database/database.ts';
import { isPassing, leavesCommitInDoubt } from '../../src/database/failures.ts';
import { openProxiedDatabase } from '../harness/proxied-database.ts';
import { startTcpProxy } from '../harness/tcp-proxy.ts';
import { until } from '../harness/tenant.ts';

/** Opens a pool of one connection through the proxy. */
async function setUp(t: TestContext) {
  const { proxy, db } = await openProxiedDatabase(t, { connectionsMax: 1 });
  const [backend] = await db.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
  const isAnotherConnection = async () => {
    const [now] = await db.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
    return now?.pid !== backend?.pid;
  };
  return { db, proxy, isAnotherConnection };
}

function isInDoubt(error: unknown): boolean {
  return isPassing(error) && leavesCommitInDoubt(error);
}

test('a statement without an answer: in doubt, its connection is not reused', async (t) => {
  const { db, proxy, isAnotherConnection } = await setUp(t);
  proxy.stall();
  await assert.rejects(db.query({ text: 'SELECT 1', timeoutMs: 50 }), isInDoubt);
  await proxy.mend();
  assert.ok(await isAnotherConnection());
});

test('a transaction with an unanswered statement: in doubt, and so is its connection', async (t) => {
  const { db, proxy, isAnotherConnection } = await setUp(t);
  const work = db.transaction(async (tx) => {
    await tx.query({ text: 'SELECT 1' });
    proxy.stall();
    await tx.query({ text: 'SELECT 2', timeoutMs: 50 });
  });
  await assert.rejects(work, isInDoubt);
  await proxy.mend();
  assert.ok(await isAnotherConnection());
});

test('a broken connection: reported, both in use and idle', async (t) => {
  const { connectionString, db: operator } = await openProxiedDatabase(t, { connectionsMax: 1 });
  let broken = 0;
  const db = openDatabase({ connectionString, onIdleError() {}, onBreak: () => (broken += 1) });
  t.after(() => db.close());
  const breakOff = (pid: number) => operator.query({ text: 'SELECT pg_terminate_backend($1)', values: [pid] });
  const ownPid = { text: 'SELECT pg_backend_pid() AS pid' };
  const used = db.transaction(async (tx) => {
    const [own] = await tx.query<{ pid: number }>(ownPid);
    await Promise.all([tx.query({ text: 'SELECT pg_sleep(60)' }), breakOff(own?.pid ?? 0)]);
  });
  await assert.rejects(used);
  await until('the one in use is told', () => broken === 1 || undefined);
  const [idle] = await db.query<{ pid: number }>(ownPid);
  await breakOff(idle?.pid ?? 0);
  await until('the idle one is told', () => broken === 2 || undefined);
});

test('a closed pool: does not report connections that the server ends late', async (t) => {
  const { connectionString, db: operator } = await openProxiedDatabase(t, { connectionsMax: 1 });
  const url = new URL(connectionString);
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  t.after(() => proxy.close());
  url.port = String(proxy.port);
  const reported: string[] = [];
  const db = openDatabase({ connectionString: url.href, onIdleError: ({ message }) => reported.push(message) });
  const [backend] = await db.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
  proxy.stall();
  await db.close();
  const values = [backend?.pid];
  await operator.query({ text: 'SELECT pg_terminate_backend($1)', values });
  await until('the server has ended it', async () => {
    const left = await operator.query({ text: 'SELECT FROM pg_stat_activity WHERE pid = $1', values });
    return left.length === 0 || undefined;
  });
  await proxy.mend();
  await setTimeout(100);
  assert.deepEqual(reported, []);
});

test('a value that no column can hold: fails only its own statement', async (t) => {
  const { db } = await setUp(t);
  const tooLarge = { text: 'SELECT $1::smallint[]', values: [[70_000]] };
  await assert.rejects(db.query(tooLarge), RangeError);
  assert.deepEqual(await db.query({ text: 'SELECT 1 AS one' }), [{ one: 1 }]);
});
