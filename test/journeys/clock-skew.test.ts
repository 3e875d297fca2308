import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createFastClock } from '../harness/fast-clock.ts';
import { useGateway } from '../harness/fixtures.ts';
import {
  admin,
  createTenant,
  freshRecipient,
  readMessage,
  sendsTo,
  sendTemplate,
  type Tenant,
  until,
  untilStatus,
} from '../harness/tenant.ts';
import { postChange, statusOf } from '../harness/upstream-webhook.ts';

for (const aheadMs of [60_000, -60_000, 540_000, -540_000]) {
  describe(`a gateway whose clock is ${Math.abs(aheadMs) / 1_000} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the platform's`, () => {
    const platformClock = createFastClock(20);
    const clock = { ...platformClock, now: () => platformClock.now() + aheadMs };
    let tenants: [Tenant, Tenant];
    const gateway = useGateway({ clock, simulator: { clock: platformClock } });
    before(async () => {
      tenants = [await createTenant(gateway), await createTenant(gateway)];
    });

    const fault = (to: string, ...kinds: ('reset_after' | 'reset_before' | 'webhook_lost')[]) => {
      for (const kind of kinds)
        gateway.simulator.world.addFault({ fault: { kind }, scope: { recipient: to.slice(1) }, times: 1 });
    };
    const untilHeld = (id: string) => {
      const text = 'SELECT FROM send_queue WHERE message_id = $1 AND hold_until IS NOT NULL';
      return until('its outcome is unknown', async () => {
        return (await gateway.app.db.query({ text, values: [id] })).length > 0 || undefined;
      });
    };

    it('accepted messages are settled by their statuses and not sent again', async () => {
      // The first sends of all, before the platform has reported any time.
      for (const tenant of [...tenants, ...tenants]) {
        const to = freshRecipient();
        fault(to, 'reset_after');
        const id = await sendTemplate(gateway, tenant, to);
        const other = await sendTemplate(gateway, tenant, freshRecipient());
        await untilStatus(gateway, tenant, other, 'read');
        await untilStatus(gateway, tenant, id, 'read');
        assert.equal(sendsTo(gateway, to).length, 1);
      }
    });

    it('a late status of one message does not settle the next to the same person', async () => {
      const [tenant] = tenants;
      await admin(gateway, 'PATCH', `/organizations/${tenant.organizationId}`, { unknown_outcome_policy: 'fail' });
      const to = freshRecipient();
      fault(to, 'reset_after', 'webhook_lost');
      const first = await sendTemplate(gateway, tenant, to);
      await untilStatus(gateway, tenant, first, 'failed');
      const [taken] = sendsTo(gateway, to);
      assert.ok(taken?.outcome.kind === 'accepted');
      fault(to, 'reset_before');
      const second = await sendTemplate(gateway, tenant, to);
      await untilHeld(second);
      const told = statusOf(taken.outcome.wamid, 'sent', Math.floor(taken.arrivedAt / 1_000), {
        recipient_id: to.slice(1),
      });
      await postChange(gateway, tenant, { statuses: [told] });
      assert.equal((await readMessage(gateway, tenant, second)).status, 'queued');
      const ended = await untilStatus(gateway, tenant, second, 'failed', 'sent');
      assert.equal(ended.error_code, 'UNKNOWN_OUTCOME');
    });
  });
}
