import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { type App, createApp } from '../../src/app.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Role } from '../../src/roles.ts';
import { type Simulator, startSimulator } from '../../src/simulator/index.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { type Gateway, UPSTREAM_APP } from '../harness/gateway.ts';
import {
  call,
  createTenant,
  freshRecipient,
  send,
  sendTemplate,
  type Tenant,
  templateTo,
  untilStatus,
} from '../harness/tenant.ts';

describe('nodes with roles of their own on one database', () => {
  let database: TestDatabase;
  let simulator: Simulator;
  let api: Gateway;
  let worker: Gateway;
  let tenant: Tenant;
  const secrets = { encryptionKeys: [randomBytes(32)], adminToken: randomBytes(24).toString('base64url') };

  before(async () => {
    database = await createTestDatabase();
    simulator = await startSimulator({ ...UPSTREAM_APP, statusLatencyMs: { sent: 5, delivered: 10, read: 15 } });
    api = await startNode(['api']);
    worker = await startNode(['dispatch', 'deliver']);
    simulator.world.setWebhookUrl(`${api.baseUrl}/webhooks/upstream`);
    tenant = await createTenant(api);
  });
  after(async () => {
    await simulator.close();
    await Promise.all([api.app.stop(), worker.app.stop()]);
    await database.drop();
  });

  async function startNode(roles: Role[]): Promise<Gateway> {
    const app: App = await createApp({
      databaseUrl: database.connectionString,
      alone: false,
      ...secrets,
      upstream: {
        baseUrl: simulator.baseUrl,
        appId: UPSTREAM_APP.appId,
        appSecrets: [UPSTREAM_APP.appSecret],
        verifyToken: UPSTREAM_APP.verifyToken,
      },
      roles,
      drainGraceMs: 0,
      log: pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
      clock: systemClock,
      random: Math.random,
    });
    await app.start();
    await app.http.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.http.server.address() as AddressInfo;
    const { connectionString } = database;
    return { baseUrl: `http://127.0.0.1:${port}`, app, simulator, ...secrets, connectionString, stop: app.stop };
  }

  it('what one accepts the other sends, and its statuses come back through the first', async () => {
    const id = await sendTemplate(api, tenant, freshRecipient());
    const message = await untilStatus(api, tenant, id, 'read');
    assert.match(message.message_id, /^wamid\./);
    const shards = await api.app.db.query<{ owner: string }>({ text: 'SELECT DISTINCT owner FROM shard_lease' });
    assert.deepEqual(shards, [{ owner: worker.app.nodeId }]);
  });

  it('sync=true is answered by a node that dispatches nothing', async () => {
    const answer = await send(api, tenant, templateTo(freshRecipient()), { query: '?sync=true' });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.messages[0].message_status, 'sent');
  });

  it('a node without the API serves its health and metrics alone', async () => {
    assert.equal((await fetch(`${worker.baseUrl}/healthz`)).status, 200);
    assert.equal((await fetch(`${worker.baseUrl}/readyz`)).status, 200);
    const authorization = `Bearer ${secrets.adminToken}`;
    assert.equal((await fetch(`${worker.baseUrl}/metrics`, { headers: { authorization } })).status, 200);
    assert.equal((await fetch(`${worker.baseUrl}/admin/v1/queue`, { headers: { authorization } })).status, 404);
    assert.equal((await send(worker, tenant, templateTo(freshRecipient()))).status, 404);
    const webhook = await fetch(`${worker.baseUrl}/webhooks/upstream`, { method: 'POST', body: '{}' });
    assert.equal(webhook.status, 404);
  });

  it('the queue says of what the asked node does not work on that another does', async () => {
    const number = `/admin/v1/numbers/${tenant.phoneNumberId}`;
    const operator = { apiKey: secrets.adminToken };
    assert.equal((await call(api, operator, 'PATCH', number, { body: { paused: true } })).status, 200);
    await sendTemplate(api, tenant, freshRecipient());
    const { json } = await call(api, operator, 'GET', '/admin/v1/queue');
    assert.deepEqual(json.numbers[0].waits_for, ['paused']);
    await call(api, operator, 'PATCH', number, { body: { paused: false } });
  });

  it('what is accepted while no node dispatches waits, is said to, and goes on with the next one', async () => {
    await worker.app.stop();
    const id = await sendTemplate(api, tenant, freshRecipient());
    const { json } = await call(api, { apiKey: secrets.adminToken }, 'GET', '/admin/v1/queue');
    worker = await startNode(['dispatch', 'deliver']);
    assert.deepEqual(json.numbers[0].waits_for, ['no node']);
    await untilStatus(api, tenant, id, 'read');
  });
});
