import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Gateway, startFurtherNode, startGateway } from '../harness/gateway.ts';
import {
  createTenant,
  freshRecipient,
  send,
  sendTemplate,
  type Tenant,
  templateTo,
  untilStatus,
} from '../harness/tenant.ts';

describe('two nodes on one database', () => {
  let first: Gateway;
  let second: Gateway;
  let tenants: Tenant[];
  before(async () => {
    first = await startGateway({ isOneOfSeveral: true });
    second = await startFurtherNode(first);
    // Enough numbers for both nodes to own some.
    tenants = await Promise.all(Array.from({ length: 6 }, () => createTenant(first)));
  });
  after(async () => {
    await second.stop();
    await first.stop();
  });

  it('dispatch what either of them accepts', async () => {
    const ids = await Promise.all(
      tenants.flatMap((tenant) =>
        [first, second].map(async (node) => [tenant, await sendTemplate(node, tenant, freshRecipient())] as const),
      ),
    );
    for (const [tenant, id] of ids) await untilStatus(first, tenant, id, 'read');
  });

  it('send in the order of their acknowledgements, whichever of them gave it', async () => {
    for (const tenant of tenants) {
      const to = freshRecipient();
      const ids: string[] = [];
      for (let turn = 0; turn < 12; turn += 1) {
        const node = turn % 2 === 0 ? first : second;
        // Several classes of traffic: what is urgent may not overtake what was acknowledged before.
        const template = turn % 3 === 0 ? 'greeting' : 'spring_sale';
        ids.push(await sendTemplate(node, tenant, to, template));
      }
      const wamids: string[] = [];
      for (const id of ids) wamids.push((await untilStatus(first, tenant, id, 'read')).message_id);
      const sent = first.simulator.world.sends.list({ to }).map(({ outcome }) => 'wamid' in outcome && outcome.wamid);
      assert.deepEqual(sent, wamids);
    }
  });

  it('answer 200 to a caller who waits, whoever owns the number', async () => {
    for (const tenant of tenants) {
      for (const node of [first, second]) {
        const answer = await send(node, tenant, templateTo(freshRecipient()), { query: '?sync=true' });
        assert.equal(answer.status, 200, answer.text);
      }
    }
  });

  it('make one message of one key, asked for at both at once', async () => {
    const [tenant] = tenants;
    assert.ok(tenant);
    const to = freshRecipient();
    const headers = { 'idempotency-key': 'one of two' };
    const answers = await Promise.all(
      [first, second, first, second].map((node) => send(node, tenant, templateTo(to), { headers })),
    );
    const ids = new Set(answers.map((answer) => answer.json.messages[0].id as string));
    assert.equal(ids.size, 1);
    await untilStatus(second, tenant, [...ids][0] ?? '', 'read');
    assert.equal(first.simulator.world.sends.list({ to }).length, 1);
  });

  it('go on with all numbers when one of them leaves', async () => {
    const leaving = await startFurtherNode(first);
    await leaving.stop();
    for (const tenant of tenants) {
      const id = await sendTemplate(second, tenant, freshRecipient());
      await untilStatus(first, tenant, id, 'read');
    }
  });
});
