import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createFastClock } from '../harness/fast-clock.ts';
import { useFurtherNode, useGateway } from '../harness/fixtures.ts';
import { createRestartableGateway, type RestartableGateway } from '../harness/restartable-gateway.ts';
import {
  admin,
  call,
  connectWaba,
  createTenant,
  freshRecipient,
  pause,
  readMessage,
  type Served,
  send,
  sendsTo,
  sendTemplate,
  type Tenant,
  templateTo,
  until,
  untilStatus,
} from '../harness/tenant.ts';

const disconnect = (gateway: Served, { wabaId }: Tenant) => admin(gateway, 'DELETE', `/wabas/${wabaId}`);
const usageOf = (gateway: Served, { organizationId }: Tenant) =>
  admin<{ accepted: number; failed: number }>(gateway, 'GET', `/organizations/${organizationId}/usage`);

describe('a business account disconnected with a large queue, by a gateway that is killed', () => {
  const COUNT = 1_500;
  let restartable: RestartableGateway;
  before(async () => {
    restartable = await createRestartableGateway();
  });
  after(() => restartable.close());

  it('the next start: ends all of its messages and sends none, whatever its owner by then', async () => {
    const first = await restartable.start();
    const [tenant, other] = [await createTenant(first), await createTenant(first)];
    await pause(first, tenant);
    const to = Array.from({ length: COUNT }, freshRecipient);
    for (let start = 0; start < COUNT; start += 50) {
      await Promise.all(to.slice(start, start + 50).map((recipient) => sendTemplate(first, tenant, recipient)));
    }
    await disconnect(first, tenant);
    first.kill('SIGKILL');
    await first.ended;

    const second = await restartable.start();
    await connectWaba(second, other.organizationId, tenant.wabaId);
    const moved = { ...other, phoneNumberId: tenant.phoneNumberId };
    await untilStatus(second, moved, await sendTemplate(second, moved, freshRecipient()), 'read');
    await until('all have failed', async () => (await usageOf(second, tenant)).failed === COUNT || undefined, 120_000);
    const { numbers } = await admin<{ numbers: unknown[] }>(second, 'GET', '/queue');
    assert.deepEqual(numbers, []);
    const sent = restartable.simulator.world.sends.list({ phoneNumberId: tenant.phoneNumberId });
    assert.equal(sent.length, 1);
    const { json } = await call(second, tenant, 'GET', '/v1/messages?error_code=CANCELLED&limit=200');
    assert.equal(json.data.length, 200);
  });
});

describe('a business account that is disconnected on one of two nodes', () => {
  const gateway = useGateway({ isOneOfSeveral: true });
  const further = useFurtherNode(gateway);

  it('sends are refused on both nodes, and the owner of its number ends the waiting ones', async () => {
    for (const node of [gateway, further]) {
      const tenant = await createTenant(gateway);
      await pause(gateway, tenant);
      const waiting = [
        await sendTemplate(gateway, tenant, freshRecipient()),
        await sendTemplate(further, tenant, freshRecipient()),
      ];
      await disconnect(node, tenant);
      assert.equal((await send(node, tenant, templateTo(freshRecipient()))).status, 404);
      await until('both refuse', async () => {
        const answers = await Promise.all(
          [gateway, further].map((one) => send(one, tenant, templateTo(freshRecipient()))),
        );
        for (const { status, json } of answers) if (status === 202) waiting.push(json.messages[0].id);
        return answers.every(({ status }) => status === 404) || undefined;
      });
      for (const id of waiting) {
        assert.equal((await untilStatus(gateway, tenant, id, 'failed')).error_code, 'CANCELLED');
      }
      assert.deepEqual(gateway.simulator.world.sends.list({ phoneNumberId: tenant.phoneNumberId }), []);
    }
  });
});

describe('a business account at a platform that leaves requests unanswered', () => {
  const gateway = useGateway({ clock: createFastClock(20) });

  it('is disconnected although the platform does not answer', async () => {
    const tenant = await createTenant(gateway);
    gateway.simulator.world.addFault({ fault: { kind: 'hang' }, scope: { endpoint: 'accounts' } });
    await disconnect(gateway, tenant);
    gateway.simulator.world.clearFaults();
    assert.equal((await send(gateway, tenant, templateTo(freshRecipient()))).status, 404);
  });

  it('unknown outcomes: end in time after the disconnect, without a second send', async () => {
    const tenant = await createTenant(gateway);
    const to = freshRecipient();
    gateway.simulator.world.addFault({ fault: { kind: 'reset_after' }, scope: { recipient: to.slice(1) } });
    gateway.simulator.world.addFault({ fault: { kind: 'webhook_lost' }, scope: { recipient: to.slice(1) } });
    const id = await sendTemplate(gateway, tenant, to);
    await until('its outcome is unknown', async () => {
      const { data } = (await call(gateway, tenant, 'GET', `/v1/messages/${id}/timeline`)).json;
      return data.some((entry: { outcome?: string }) => entry.outcome === 'unknown') || undefined;
    });
    await disconnect(gateway, tenant);
    assert.equal((await readMessage(gateway, tenant, id)).status, 'queued');
    assert.equal((await untilStatus(gateway, tenant, id, 'failed')).error_code, 'UNKNOWN_OUTCOME');
    assert.equal(sendsTo(gateway, to).length, 1);
  });

  for (const kind of ['hang', 'reset_after'] as const) {
    it(`the next owner sends nothing while a former send may be in flight (${kind})`, async () => {
      const [tenant, other] = [await createTenant(gateway), await createTenant(gateway)];
      const to = freshRecipient();
      const { world } = gateway.simulator;
      world.addFault({ fault: { kind }, scope: { recipient: to.slice(1) }, times: 1 });
      world.addFault({ fault: { kind: 'webhook_lost' }, scope: { recipient: to.slice(1) } });
      const first = await sendTemplate(gateway, tenant, to);
      await until('it has come', () => world.sends.list({ to: to.slice(1) }).length > 0 || undefined);
      await disconnect(gateway, tenant);
      await connectWaba(gateway, other.organizationId, tenant.wabaId);
      const moved = { ...other, phoneNumberId: tenant.phoneNumberId };
      const second = await sendTemplate(gateway, moved, to);
      const reason = 'parked: what it sent before it was connected anew is still on its way';
      await until('it is told why', async () => {
        const { json } = await call(gateway, moved, 'GET', `/v1/messages/${second}/timeline`);
        return json.waiting?.reasons.includes(reason) || undefined;
      });
      assert.equal((await untilStatus(gateway, tenant, first, 'failed')).error_code, 'UNKNOWN_OUTCOME');
      const { data } = (await call(gateway, tenant, 'GET', `/v1/messages/${first}/timeline`)).json;
      const { sent_at } = await untilStatus(gateway, moved, second, 'sent');
      assert.ok(sent_at !== null && sent_at >= data.at(-1).at, 'not before that has ended');
    });
  }
});
