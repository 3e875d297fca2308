import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Gateway, startFurtherNode, startGateway } from '../harness/gateway.ts';
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
  let api: Gateway;
  let worker: Gateway;
  let tenant: Tenant;
  const startWorker = () => startFurtherNode(api, { roles: ['dispatch', 'deliver'] });

  before(async () => {
    api = await startGateway({ isOneOfSeveral: true, roles: ['api'] });
    worker = await startWorker();
    tenant = await createTenant(api);
  });
  after(async () => {
    await worker.stop();
    await api.stop();
  });

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
    const authorization = `Bearer ${api.adminToken}`;
    assert.equal((await fetch(`${worker.baseUrl}/metrics`, { headers: { authorization } })).status, 200);
    assert.equal((await fetch(`${worker.baseUrl}/admin/v1/queue`, { headers: { authorization } })).status, 404);
    assert.equal((await send(worker, tenant, templateTo(freshRecipient()))).status, 404);
    const webhook = await fetch(`${worker.baseUrl}/webhooks/upstream`, { method: 'POST', body: '{}' });
    assert.equal(webhook.status, 404);
  });

  it('the queue says of what the asked node does not work on that another does', async () => {
    const number = `/admin/v1/numbers/${tenant.phoneNumberId}`;
    const operator = { apiKey: api.adminToken };
    assert.equal((await call(api, operator, 'PATCH', number, { body: { paused: true } })).status, 200);
    await sendTemplate(api, tenant, freshRecipient());
    const { json } = await call(api, operator, 'GET', '/admin/v1/queue');
    assert.partialDeepStrictEqual(json.numbers[0], { waits_for: ['paused'], messages_per_second: 80 });
    await call(api, operator, 'PATCH', number, { body: { paused: false } });
  });

  it('what is accepted while no node dispatches waits, is said to, and goes on with the next one', async () => {
    await worker.stop();
    const id = await sendTemplate(api, tenant, freshRecipient());
    const { json } = await call(api, { apiKey: api.adminToken }, 'GET', '/admin/v1/queue');
    worker = await startWorker();
    assert.partialDeepStrictEqual(json.numbers[0], { waits_for: ['no node'], messages_per_second: 80 });
    await untilStatus(api, tenant, id, 'read');
  });
});
