import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useFurtherNode, useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  admin,
  askAdmin,
  freshRecipient,
  issueKey,
  pause,
  resume,
  type Served,
  sendTemplate,
  type Tenant,
  until,
} from '../../harness/tenant.ts';

interface Ahead {
  organization_id: string;
  phone_number_id: string;
  message_id: string;
  api_key_id: string | null;
  traffic_class: string;
  accepted_at: string;
}

interface Next {
  nodes: {
    id: string;
    read_at: string;
    turns: (Ahead & { expected_at: string })[];
    kept_back: (Ahead & { waits_for: string; until: string | null })[];
  }[];
}

const LARGE = 1_000;
const SMALL = 3;
/** Messages a second of each number: so few that the picture is read before the small queue is empty. */
const PACE = 1;

describe('GET /admin/v1/queue/next', () => {
  const gateway = useGateway();
  const large = useTenant(gateway);
  const small = useTenant(gateway);

  const readNext = () => admin<Next>(gateway, 'GET', '/queue/next?limit=20');

  /** Lets `count` messages of a tenant wait, a hundred at a time; returns their ids by recipient. */
  async function fill(tenant: Tenant, count: number): Promise<Map<string, string>> {
    const ids = new Map<string, string>();
    const left = Array.from({ length: count }).values();
    const lane = async () => {
      for (const _ of left) {
        const to = freshRecipient();
        ids.set(to.slice(1), await sendTemplate(gateway, tenant, to));
      }
    };
    await Promise.all(Array.from({ length: 100 }, lane));
    return ids;
  }

  it('1,000 and 3 wait → they take turns, and leave in the order that the picture shows', async () => {
    for (const tenant of [large, small]) {
      await pause(gateway, tenant);
      await admin(gateway, 'PATCH', `/numbers/${tenant.phoneNumberId}`, { messages_per_second: PACE });
    }
    const idOf = new Map([...(await fill(large, LARGE)), ...(await fill(small, SMALL))]);
    const paused = (await readNext()).nodes[0];
    assert.deepEqual(paused?.turns, []);
    assert.deepEqual(new Set(paused?.kept_back.map(({ waits_for }) => waits_for)), new Set(['paused']));

    await Promise.all([large, small].map((tenant) => resume(gateway, tenant)));
    const turns = await until('the queues are read', async () => {
      const { nodes } = await readNext();
      const [node, ...others] = nodes;
      assert.deepEqual(others, []);
      return node?.turns.length === 20 && new Set(node.turns.map((turn) => turn.organization_id)).size === 2
        ? node.turns
        : undefined;
    });
    const ofSmall = turns.flatMap(({ organization_id }, index) =>
      organization_id === small.organizationId ? [index] : [],
    );
    // With equal weights and paces every second turn is the small queue's, until it is empty.
    assert.ok(ofSmall.length > 0 && ofSmall.length <= SMALL, `${ofSmall}`);
    for (const [turn, index] of ofSmall.entries()) assert.ok(index <= 2 * turn + 1, `${ofSmall}`);
    assert.ok(turns.every(({ traffic_class }) => traffic_class === 'marketing'));

    const foretold = turns.slice(0, 6).map(({ message_id }) => message_id);
    const left = await until('six of them have left', () => {
      const sends = gateway.simulator.world.sends.list({}).flatMap(({ waId }) => idOf.get(waId ?? '') ?? []);
      const found = sends.filter((id) => foretold.includes(id));
      return found.length === foretold.length ? found : undefined;
    });
    // Two numbers send at the same moment, so their requests may arrive in either order.
    for (const [index, id] of foretold.entries()) {
      assert.ok(Math.abs(left.indexOf(id) - index) <= 1, `${foretold} became ${left}`);
    }
    for (const { organizationId } of [large, small]) {
      const own = new Set(
        turns.filter((turn) => turn.organization_id === organizationId).map((turn) => turn.message_id),
      );
      assert.deepEqual(
        left.filter((id) => own.has(id)),
        foretold.filter((id) => own.has(id)),
      );
    }
    await pause(gateway, large);
  });

  it('a kept back message of a key → its key and class, but not its recipient', async () => {
    const key = await issueKey(gateway, { organizationId: small.organizationId });
    await pause(gateway, small);
    await sendTemplate(gateway, { ...small, apiKey: key.key }, freshRecipient(), 'login_code');
    const kept = await until('it waits', async () =>
      (await readNext()).nodes
        .flatMap((node) => node.kept_back)
        .find(({ traffic_class }) => traffic_class === 'authentication'),
    );
    assert.equal(kept.api_key_id, key.id);
    assert.equal(kept.organization_id, small.organizationId);
    assert.deepEqual(Object.keys(kept).toSorted(), [
      'accepted_at',
      'api_key_id',
      'message_id',
      'organization_id',
      'phone_number_id',
      'traffic_class',
      'until',
      'waits_for',
    ]);
  });

  it('limit out of range → 400', async () => {
    for (const limit of ['0', '101', 'x']) {
      assertError(await askAdmin(gateway, 'GET', `/queue/next?limit=${limit}`), 400, 'VALIDATION_ERROR');
    }
  });
});

describe('GET /admin/v1/queue/next of two nodes', () => {
  const gateway = useGateway({ isOneOfSeveral: true });
  const other = useFurtherNode(gateway);
  const tenant = useTenant(gateway);

  it('either node → shows the same message under the node that works on its number', async () => {
    await pause(gateway, tenant);
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    const ownersOn = async (node: Served) => {
      const { nodes } = await admin<Next>(node, 'GET', '/queue/next');
      return nodes.filter(({ kept_back }) => kept_back.some(({ message_id }) => message_id === id));
    };
    // The nodes may still be sharing out their numbers.
    await until('both name one owner', async () => {
      const [first = [], second = []] = await Promise.all([gateway, other].map(ownersOn));
      for (const owners of [first, second]) assert.ok(owners.length <= 1, 'the message is shown twice');
      const [owner] = first;
      return owner !== undefined && owner.id === second[0]?.id && Date.parse(owner.read_at) > Date.now() - 20_000
        ? true
        : undefined;
    });
  });
});
