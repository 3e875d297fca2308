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
  sendTemplate,
  type Tenant,
  untilStatus,
} from '../harness/tenant.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');
const run = promisify(execFile);

/** A database, a gateway on it that knows its platform, and what a deployment has that forgot to name it. */
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

/** As an upgrade leaves the database of a version that noted no platforms. */
async function forgetPlatforms(db: Database) {
  await db.query({ text: 'ALTER TABLE waba DROP COLUMN platform' });
  await db.query({ text: await readFile(NOTE_PLATFORMS, 'utf8') });
}

test('a node without UPSTREAM_BASE_URL refuses a database with accounts of a platform, and what waits there is sent later', async (t) => {
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
    assert.equal(after.simulator.world.sends.list({ to }).length, 1);
    assert.deepEqual(
      (await connectedWabas(after, tenant)).flatMap(({ numbers }) => numbers.map(({ parked }) => parked)),
      [null],
    );
  }
});

test('a node without UPSTREAM_BASE_URL that runs already ends when an account is connected through a platform, and sends nothing of it', async (t) => {
  const { gateway, dataDir, forgetful } = await setUp(t);
  const forgetting = await startServeProcess(dataDir, forgetful);
  t.after(() => forgetting.kill('SIGKILL'));
  const served = await gateway.start();
  // Enough numbers for both nodes to own some.
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
    assert.equal(served.simulator.world.sends.list({ to }).length, 1);
  }
  const again = await runServeProcess(dataDir, forgetful);
  assert.match(again.output, /^UPSTREAM_BASE_URL is not set, /m);
});

test('a database that was used with the built-in simulator alone goes on with it, also from before platforms were noted', async (t) => {
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
  // Pointed at a platform for a while, without an account being connected through it.
  const elsewhere = await gateway.start();
  elsewhere.kill('SIGTERM');
  await elsewhere.ended;
  await startAndStop();
});
