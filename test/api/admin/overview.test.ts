import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { useFurtherNode, useGateway, useTenant } from '../../harness/fixtures.ts';
import { askAs, createOperator } from '../../harness/operator.ts';
import {
  admin,
  call,
  connectWaba,
  freshRecipient,
  pause,
  queueOf,
  resume,
  sendNow,
  sendTemplate,
  until,
  untilStatus,
} from '../../harness/tenant.ts';
import { createTickingClock } from '../../harness/ticking-clock.ts';

interface Overview {
  minutes: { at: string; accepted: number; sent: number; delivered: number; failed: number }[];
  queue: { waiting: number; held: number; oldest_wait_seconds: number } | null;
  webhooks: { oldest_wait_seconds: number; endpoints_waiting: number };
  nodes: { id: string; alive: boolean; roles: string[]; shards: number; report: { numbers: number } | null }[];
  attention: {
    kind: string;
    subject: string;
    organization_id: string | null;
    reason: string;
    repair: { method: string; path: string; body: unknown } | null;
  }[];
}

describe('the overview', () => {
  const clock = createTickingClock(Date.now());
  const gateway = useGateway({ clock, isOneOfSeveral: true, simulator: { clock: systemClock } });
  const other = useFurtherNode(gateway, { clock });
  const tenant = useTenant(gateway);
  const neighbour = useTenant(gateway);
  after(() => clock.stop());

  /** Reads until `test` holds; moves the clock on, because a reading is shared for 1.5 seconds. */
  const untilShown = (what: string, test: (overview: Overview) => boolean, node = gateway): Promise<Overview> =>
    until(what, async () => {
      clock.advance(1_600);
      const overview = await admin<Overview>(node, 'GET', '/overview');
      return test(overview) ? overview : undefined;
    });
  const sum = ({ minutes }: Overview, name: 'accepted' | 'sent' | 'delivered' | 'failed') =>
    minutes.reduce((total, minute) => total + minute[name], 0);

  it('messages of two tenants: counted in their minutes, 60 of them without a gap', async () => {
    await sendNow(gateway, tenant);
    const [id, failing] = await Promise.all([
      sendTemplate(gateway, neighbour, freshRecipient()),
      sendTemplate(gateway, tenant, '+15550101026'),
    ]);
    await Promise.all([
      untilStatus(gateway, neighbour, id, 'delivered', 'read'),
      untilStatus(gateway, tenant, failing, 'failed'),
    ]);
    const overview = await untilShown('all messages', (shown) => sum(shown, 'delivered') === 2);
    assert.deepEqual([sum(overview, 'accepted'), sum(overview, 'sent'), sum(overview, 'failed')], [3, 2, 1]);
    assert.equal(overview.minutes.length, 60);
    const times = overview.minutes.map(({ at }) => Date.parse(at));
    assert.ok(times.every((time, index) => index === 0 || time - (times[index - 1] ?? 0) === 60_000));
  });

  it('nodes: both with roles, shards and figures of their own, on either', async () => {
    for (const node of [gateway, other]) {
      const { nodes } = await untilShown(
        'reports',
        (shown) => shown.nodes.every(({ report }) => report !== null),
        node,
      );
      assert.deepEqual(
        nodes.map(({ alive, roles }) => [alive, roles]),
        [
          [true, ['api', 'dispatch', 'deliver']],
          [true, ['api', 'dispatch', 'deliver']],
        ],
      );
      assert.ok(nodes.reduce((shards, one) => shards + one.shards, 0) > 0);
    }
  });

  it('a paused number, a parked account, a failing endpoint → listed with the call that repairs', async () => {
    await pause(gateway, tenant);
    gateway.simulator.world.rotateToken(neighbour.wabaId, 'EAAother');
    await sendTemplate(gateway, neighbour, freshRecipient());
    const endpoint = await call(gateway, tenant, 'POST', '/v1/webhooks', {
      body: { url: 'https://gone.invalid/hook' },
    });
    await gateway.app.db.query({
      text: "UPDATE webhook_endpoint SET failing_since = now() - interval '2 minutes' WHERE id = $1",
      values: [endpoint.json.id],
    });
    const { attention } = await untilShown('three things', (shown) => shown.attention.length === 3);
    assert.deepEqual(
      attention.map(({ kind, subject, organization_id }) => [kind, subject, organization_id]),
      [
        ['account_parked', neighbour.wabaId, neighbour.organizationId],
        ['endpoint_failing', endpoint.json.id, tenant.organizationId],
        ['number_paused', tenant.phoneNumberId, tenant.organizationId],
      ],
    );
    const [parked, , paused] = attention;
    assert.match(parked?.reason ?? '', /^190: /);
    assert.equal(parked?.repair?.path, `/admin/v1/organizations/${neighbour.organizationId}/wabas`);
    await connectWaba(gateway, neighbour.organizationId, neighbour.wabaId);
    const { method, path, body } = paused?.repair ?? { method: '', path: '', body: null };
    await admin(gateway, method, path.replace('/admin/v1', ''), body);
    await call(gateway, tenant, 'DELETE', `/v1/webhooks/${endpoint.json.id}`);
    await untilShown('nothing', (shown) => shown.attention.length === 0);
  });

  it('support: reads it; waiting messages and the pace used show in the queue, on either node', async () => {
    const support = await createOperator(gateway, 'support');
    assert.equal((await askAs(gateway, support, 'GET', '/overview')).status, 200);
    await pause(gateway, tenant);
    for (let count = 0; count < 5; count += 1) await sendTemplate(gateway, tenant, freshRecipient());
    const shown = await until('five waiting', async () => {
      clock.advance(10_000);
      const overview = await admin<Overview>(gateway, 'GET', '/overview');
      return overview.queue?.waiting === 5 ? overview.queue : undefined;
    });
    assert.ok(shown.oldest_wait_seconds >= 0);
    await resume(gateway, tenant);
    const number = `/numbers/${tenant.phoneNumberId}`;
    await admin(gateway, 'PATCH', number, { messages_per_second: 1 });
    for (let count = 0; count < 30; count += 1) await sendTemplate(gateway, tenant, freshRecipient());
    for (const node of [gateway, other]) {
      await until('the pace used', async () => {
        const queue = (await queueOf(node, tenant)) as { used_per_second?: number };
        return (queue.used_per_second ?? 0) > 0 || undefined;
      });
    }
  });
});
