import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { useFurtherNode, useGateway } from '../harness/fixtures.ts';
import { type Gateway, startFurtherNode, startGateway } from '../harness/gateway.ts';
import {
  call,
  createTenant,
  freshRecipient,
  send,
  sendNow,
  sendsTo,
  sendTemplate,
  type Tenant,
  templateTo,
  until,
  untilStatus,
} from '../harness/tenant.ts';

describe('two nodes on one database', () => {
  let tenants: Tenant[];
  const first = useGateway({ isOneOfSeveral: true });
  const second = useFurtherNode(first);
  before(async () => {
    // Enough numbers that both nodes own some.
    tenants = await Promise.all(Array.from({ length: 6 }, () => createTenant(first)));
  });

  it('dispatch messages that either of them accepts', async () => {
    const ids = await Promise.all(
      tenants.flatMap((tenant) =>
        [first, second].map(async (node) => [tenant, await sendTemplate(node, tenant, freshRecipient())] as const),
      ),
    );
    for (const [tenant, id] of ids) await untilStatus(first, tenant, id, 'read');
  });

  it('send in the order of the acknowledgements, whichever node gave them', async () => {
    for (const tenant of tenants) {
      const to = freshRecipient();
      const ids: string[] = [];
      for (let turn = 0; turn < 12; turn += 1) {
        const node = turn % 2 === 0 ? first : second;
        // Several classes: an urgent message may not overtake one acknowledged before.
        const template = turn % 3 === 0 ? 'greeting' : 'spring_sale';
        ids.push(await sendTemplate(node, tenant, to, template));
      }
      const wamids: string[] = [];
      for (const id of ids) wamids.push((await untilStatus(first, tenant, id, 'read')).message_id);
      const sent = sendsTo(first, to).map(({ outcome }) => 'wamid' in outcome && outcome.wamid);
      assert.deepEqual(sent, wamids);
    }
  });

  it('answer 200 to a waiting caller, whichever node owns the number', async () => {
    for (const tenant of tenants) {
      for (const node of [first, second]) await sendNow(node, tenant);
    }
  });

  it('make one message of one key used at both nodes at once', async () => {
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
    assert.equal(sendsTo(first, to).length, 1);
  });

  it('hand numbers over to a third node although a request on each is unanswered', async () => {
    const { world } = first.simulator;
    const unanswered = await Promise.all(
      tenants.map(async (tenant) => {
        const to = freshRecipient();
        world.addFault({ fault: { kind: 'hang' }, scope: { recipient: to.slice(1) } });
        const id = await sendTemplate(first, tenant, to);
        await world.sends.waitFor((sent) => sent.waId === to.slice(1));
        return { tenant, id };
      }),
    );
    const third = await startFurtherNode(first);
    try {
      for (const node of [first, second]) await untilItSees(node, 3);
      for (const tenant of tenants)
        await untilStatus(third, tenant, await sendTemplate(third, tenant, freshRecipient()), 'read');
      for (const { tenant, id } of unanswered) {
        const timeline = await call(first, tenant, 'GET', `/v1/messages/${id}/timeline`);
        const ended = timeline.json.data.filter(
          ({ what, error_message: reason }: { what: string; error_message?: string | null }) =>
            what === 'attempt' && reason !== 'interrupted',
        );
        assert.deepEqual(ended, [], 'its request was given up before the others could go');
      }
    } finally {
      await third.stop();
    }
  });

  it('continue with all numbers when one node leaves', async () => {
    const leaving = await startFurtherNode(first);
    await leaving.stop();
    for (const tenant of tenants) {
      const id = await sendTemplate(second, tenant, freshRecipient());
      await untilStatus(first, tenant, id, 'read');
    }
  });
});

it('two nodes: the platform throttles the app at one → the numbers of both wait', async () => {
  const first = await startGateway({ isOneOfSeveral: true });
  const second = await startFurtherNode(first);
  try {
    for (const node of [first, second]) await untilItSees(node, 2);
    const [throttled, ...others] = await Promise.all(Array.from({ length: 6 }, () => createTenant(first)));
    assert.ok(throttled);
    const reasonsOf = async (tenant: Tenant, id: string): Promise<string[]> => {
      const timelines = await Promise.all(
        [first, second].map((node) => call(node, tenant, 'GET', `/v1/messages/${id}/timeline`)),
      );
      return timelines.flatMap(({ json }) => json.waiting?.reasons ?? []);
    };
    const to = freshRecipient();
    first.simulator.world.addFault({ fault: { kind: 'error', code: 4 }, scope: { recipient: to.slice(1) }, times: 1 });
    await sendTemplate(first, throttled, to);
    for (const tenant of others)
      await until('its messages wait', async () => {
        const id = await sendTemplate(first, tenant, freshRecipient());
        return (await reasonsOf(tenant, id)).some((reason) => reason.startsWith('parked: upstream 4')) || undefined;
      });
  } finally {
    await second.stop();
    await first.stop();
  }
});

/** Resolves when the node knows the number of nodes and has released the shards of the others. */
async function untilItSees(node: Gateway, nodes: number): Promise<void> {
  await until(`${nodes} nodes are seen`, async () => {
    const answer = await fetch(`${node.baseUrl}/metrics`, { headers: { authorization: `Bearer ${node.adminToken}` } });
    return (await answer.text()).includes(`fairway_nodes ${nodes}\n`) || undefined;
  });
}
