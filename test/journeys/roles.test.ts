import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { pause as pauseFor } from '../../src/core/run/waiting.ts';
import { createFastClock } from '../harness/fast-clock.ts';
import { endBefore, useGateway, useTenant } from '../harness/fixtures.ts';
import { type Gateway, startFurtherNode, startGateway } from '../harness/gateway.ts';
import {
  call,
  connectWaba,
  createTenant,
  freshRecipient,
  pause,
  resume,
  send,
  sendNow,
  sendTemplate,
  templateTo,
  until,
  untilStatus,
} from '../harness/tenant.ts';
import { inboundText, nowSeconds, postChange } from '../harness/upstream-webhook.ts';

describe('nodes with roles of their own on one database', () => {
  let worker: Gateway;
  const startWorker = () => startFurtherNode(api, { roles: ['dispatch', 'deliver'] });

  const api = useGateway({ isOneOfSeveral: true, roles: ['api'] });
  const tenant = useTenant(api);
  before(async () => {
    worker = await startWorker();
  });
  endBefore(api, () => worker.stop());

  /** Returns the reasons why the message waits; undefined once it has left the queue. */
  const reasonsOf = async (id: string): Promise<string[] | undefined> =>
    (await call(api, tenant, 'GET', `/v1/messages/${id}/timeline`)).json.waiting?.reasons;

  it('one node accepts, the other sends, and the first receives the statuses', async () => {
    const id = await sendTemplate(api, tenant, freshRecipient());
    const message = await untilStatus(api, tenant, id, 'read');
    assert.match(message.message_id, /^wamid\./);
    const shards = await api.app.db.query<{ owner: string }>({ text: 'SELECT DISTINCT owner FROM shard_lease' });
    assert.deepEqual(shards, [{ owner: worker.app.nodeId }]);
  });

  it('sync=true: answered by a node that does not dispatch', async () => {
    await sendNow(api, tenant);
  });

  it('a node without the API role: serves only health and metrics', async () => {
    assert.equal((await fetch(`${worker.baseUrl}/healthz`)).status, 200);
    assert.equal((await fetch(`${worker.baseUrl}/readyz`)).status, 200);
    const authorization = `Bearer ${api.adminToken}`;
    assert.equal((await fetch(`${worker.baseUrl}/metrics`, { headers: { authorization } })).status, 200);
    assert.equal((await fetch(`${worker.baseUrl}/admin/v1/queue`, { headers: { authorization } })).status, 404);
    assert.equal((await send(worker, tenant, templateTo(freshRecipient()))).status, 404);
    const webhook = await fetch(`${worker.baseUrl}/webhooks/upstream`, { method: 'POST', body: '{}' });
    assert.equal(webhook.status, 404);
  });

  it('queue and timeline: show why a message waits, also for shards of other nodes', async () => {
    await pause(api, tenant);
    await until('the other node has heard of it', async () => {
      const { text } = await worker.app.metrics.render();
      return /^fairway_dispatch_numbers_paused 1$/m.test(text) || undefined;
    });
    const id = await sendTemplate(api, tenant, freshRecipient());
    const { json } = await call(api, { apiKey: api.adminToken }, 'GET', '/admin/v1/queue');
    assert.partialDeepStrictEqual(json.numbers[0], { waits_for: ['paused'], messages_per_second: 80 });
    assert.deepEqual(await reasonsOf(id), ['paused']);
    await resume(api, tenant);
    await untilStatus(api, tenant, id, 'read');

    api.simulator.world.rotateToken(tenant.wabaId, 'EAAreplaced');
    const blocked = await sendTemplate(api, tenant, freshRecipient());
    await until(
      'the number is parked',
      async () => (await reasonsOf(blocked))?.[0]?.startsWith('parked: 190: ') || undefined,
    );
    await connectWaba(api, tenant.organizationId, tenant.wabaId);
    await untilStatus(api, tenant, blocked, 'read');
  });

  it("inbound messages at one node: count against the number's rate at the other", async () => {
    const id = await sendTemplate(api, tenant, freshRecipient());
    await untilStatus(api, tenant, id, 'read');
    const from = freshRecipient().slice(1);
    const messages = [1, 2, 3].map(() => inboundText(from, nowSeconds()));
    await postChange(api, tenant, { messages });
    await until('it is counted', async () => {
      const { text } = await worker.app.metrics.render();
      return text.includes('fairway_dispatch_inbound_total{received="elsewhere"} 3\n') || undefined;
    });
  });

  it('accepted without a dispatching node: waits, is shown as waiting, sent by the next node', async () => {
    await worker.stop();
    const id = await sendTemplate(api, tenant, freshRecipient());
    const { json } = await call(api, { apiKey: api.adminToken }, 'GET', '/admin/v1/queue');
    const reasons = await reasonsOf(id);
    worker = await startWorker();
    assert.deepEqual(reasons, ['no node']);
    assert.partialDeepStrictEqual(json.numbers[0], { waits_for: ['no node'], messages_per_second: 80 });
    await untilStatus(api, tenant, id, 'read');
  });
});

it("no node receives the platform's statuses: possibly sent messages are not sent again", async () => {
  const clock = createFastClock(20);
  const worker = await startGateway({ clock, isOneOfSeveral: true, roles: ['dispatch', 'deliver'] });
  const startApi = () => startFurtherNode(worker, { clock, roles: ['api'] });
  let api: Gateway | undefined = await startApi();
  try {
    const tenant = await createTenant(api);
    const { world } = worker.simulator;
    const to = freshRecipient();
    for (const kind of ['reset_after', 'webhook_lost'] as const)
      world.addFault({ fault: { kind }, scope: { recipient: to.slice(1) }, times: 1 });
    const sent = world.sends.waitFor(({ waId }) => waId === to.slice(1));
    const id = await sendTemplate(api, tenant, to);
    await sent;
    await api.stop();
    api = undefined;
    await pauseFor(clock, 60_000);
    assert.equal(world.sends.list({ to }).length, 1);
    api = await startApi();
    await untilStatus(api, tenant, id, 'sent');
    assert.equal(world.sends.list({ to }).length, 2);
  } finally {
    await api?.stop();
    await worker.stop();
  }
});
