import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import { runServeProcess, startServeProcess } from '../harness/serve-process.ts';
import {
  admin,
  createTenant,
  freshRecipient,
  type Served,
  sendsTo,
  sendTemplate,
  type Tenant,
  untilStatus,
} from '../harness/tenant.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');
const run = promisify(execFile);

/** Returns a database, a gateway on it with its platform, and the settings of a deployment that does not name the platform. */
async function setUp(t: TestContext) {
  const { connectionString } = await createTestDatabase(t);
  const db = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => db.close());
  const shared = {
    DATABASE_URL: connectionString,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: 'operator',
  };
  const gateway = await createRestartableGateway(shared);
  t.after(() => gateway.close());
  const parentDir = await mkdtemp(join(tmpdir(), 'fairway-forgotten-'));
  t.after(() => rm(parentDir, { recursive: true, force: true }));
  return { db, gateway, dataDir: join(parentDir, 'data'), forgetful: { ...shared, PORT: '0' } };
}

async function connectedWabas(gateway: Served, { organizationId }: Tenant) {
  const path = `/organizations/${organizationId}/wabas`;
  return (await admin<{ data: { numbers: { parked: unknown }[] }[] }>(gateway, 'GET', path)).data;
}

const NOTE_PLATFORMS = new URL('../../src/database/migrations/0021_platform_of_accounts.sql', import.meta.url);

/** Brings the database to the state after an upgrade from a version that did not store platforms. */
async function forgetPlatforms(db: Database) {
  await db.query({ text: 'ALTER TABLE waba DROP COLUMN platform' });
  await db.query({ text: await readFile(NOTE_PLATFORMS, 'utf8') });
}

test('a start without UPSTREAM_BASE_URL: platform accounts exist → refused, the queue is kept', async (t) => {
  const { db, gateway, dataDir, forgetful } = await setUp(t);
  const before = await gateway.start();
  const tenants = [await createTenant(before), await createTenant(before)];
  const waiting: [Tenant, string, string][] = [];
  for (const tenant of tenants) {
    await admin(before, 'PATCH', `/numbers/${tenant.phoneNumberId}`, { paused: true });
    const to = freshRecipient();
    waiting.push([tenant, to, await sendTemplate(before, tenant, to)]);
  }
  before.kill('SIGTERM');
  await before.ended;

  const { host } = new URL(gateway.simulator.baseUrl);
  const refused = await runServeProcess(dataDir, forgetful);
  assert.equal(refused.code, 1);
  assert.match(refused.output, /^UPSTREAM_BASE_URL is not set, and .*\n$/m);
  assert.ok(refused.output.includes(` connected through ${host}: `), refused.output);
  const { stdout } = await run(process.execPath, [MAIN, 'migrate'], { env: { PATH: process.env.PATH, ...forgetful } });
  assert.match(stdout, /^Nothing to do\.$/m, 'to migrate takes no platform');
  await forgetPlatforms(db);
  const unknown = await runServeProcess(dataDir, forgetful);
  assert.equal(unknown.code, 1);
  assert.match(unknown.output, /^UPSTREAM_BASE_URL is not set, and .* connected before it was noted through which/m);
  assert.deepEqual(await db.query({ text: `SELECT name FROM organization WHERE name = 'Demo'` }), []);

  const after = await gateway.start();
  for (const [tenant, to, id] of waiting) {
    await admin(after, 'PATCH', `/numbers/${tenant.phoneNumberId}`, { paused: false });
    await untilStatus(after, tenant, id, 'read');
    assert.equal(sendsTo(after, to).length, 1);
    assert.deepEqual(
      (await connectedWabas(after, tenant)).flatMap(({ numbers }) => numbers.map(({ parked }) => parked)),
      [null],
    );
  }
});

test('a running node without UPSTREAM_BASE_URL: an account of a platform appears → it ends', async (t) => {
  const { gateway, dataDir, forgetful } = await setUp(t);
  const forgetting = await startServeProcess(dataDir, forgetful);
  t.after(() => forgetting.kill('SIGKILL'));
  const served = await gateway.start();
  // Enough numbers that both nodes own some.
  const sent = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const tenant = await createTenant(served);
      const to = freshRecipient();
      return [tenant, to, await sendTemplate(served, tenant, to)] as const;
    }),
  );
  assert.equal((await forgetting.ended).code, 1);
  for (const [tenant, to, id] of sent) {
    await untilStatus(served, tenant, id, 'read');
    assert.equal(sendsTo(served, to).length, 1);
  }
  const again = await runServeProcess(dataDir, forgetful);
  assert.match(again.output, /^UPSTREAM_BASE_URL is not set, /m);
});

test('a database used only with the built-in simulator: continues with it, also when upgraded', async (t) => {
  const { db, gateway, dataDir, forgetful } = await setUp(t);
  const startAndStop = async () => {
    const serve = await startServeProcess(dataDir, forgetful);
    serve.kill('SIGTERM');
    assert.equal((await serve.ended).code, 0);
  };
  await startAndStop();
  await startAndStop();
  await forgetPlatforms(db);
  await startAndStop();
  // Configured with a platform for a while, without connecting an account through it.
  const elsewhere = await gateway.start();
  elsewhere.kill('SIGTERM');
  await elsewhere.ended;
  await startAndStop();
});
