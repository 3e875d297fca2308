import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../../src/database/database.ts';
import { untilWaiting } from '../harness/lock-waits.ts';
import { openProxiedDatabase } from '../harness/proxied-database.ts';
import { beginServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { until } from '../harness/tenant.ts';

async function begin(t: TestContext, environment: Record<string, string> = {}) {
  const parentDir = await mkdtemp(join(tmpdir(), 'fairway-stopping-'));
  const dataDir = join(parentDir, 'data');
  const process = beginServeProcess(dataDir, { PORT: '0', ...environment });
  t.after(async () => {
    process.kill('SIGKILL');
    await process.ended;
    await rm(parentDir, { recursive: true, force: true, maxRetries: 5 });
  });
  return { dataDir, process };
}

test('a stop while the database is created: ends the creation, and the next start repeats it', async (t) => {
  const { dataDir, process } = await begin(t);
  await until('the database is being made', () => existsSync(join(dataDir, 'postgres.partial', 'base')) || undefined);
  process.kill('SIGTERM');
  const { code } = await process.ended;
  assert.equal(code, 0, process.output());
  assert.ok(!existsSync(join(dataDir, 'postgres')), 'it was not finished first');
  const next = await startServeProcess(dataDir, { PORT: '0' });
  next.kill('SIGTERM');
  assert.equal((await next.ended).code, 0);
});

test('a start whose PostgreSQL falls silent: a stop ends it with 0 soon', async (t) => {
  const { proxy, connectionString } = await openProxiedDatabase(t, { connectionsMax: 1 });
  const url = new URL(connectionString);
  url.port = String(proxy.port);
  const direct = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => direct.close());
  const { process } = await direct.transaction(async (tx) => {
    // A slow machine takes longer to start than a transaction may idle.
    await tx.query({ text: 'SET LOCAL idle_in_transaction_session_timeout = 0' });
    await tx.query({ text: 'LOCK TABLE waba IN ACCESS EXCLUSIVE MODE' });
    const begun = await begin(t, {
      DATABASE_URL: url.href,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      ADMIN_TOKEN: 'operator',
    });
    await untilWaiting(direct);
    proxy.stall();
    return begun;
  });
  process.kill('SIGTERM');
  const { code } = await process.ended;
  assert.equal(code, 0, process.output());
});
