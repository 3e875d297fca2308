import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { createFastClock } from '../harness/fast-clock.ts';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import type { Gateway } from '../harness/gateway.ts';
import {
  admin,
  call,
  createTenant,
  freshRecipient,
  pause,
  readMessage,
  resume,
  sendsTo,
  sendTemplate,
  type Tenant,
  until,
  untilStatus,
} from '../harness/tenant.ts';
import { postChange, statusOf } from '../harness/upstream-webhook.ts';

type Fault = Parameters<Gateway['simulator']['world']['addFault']>[0]['fault'];

/** The upstream accepted the message, or may have, and its answer was lost. */
describe('a send whose outcome is unknown', () => {
  const clock = createFastClock(20);
  const gateway = useGateway({ clock });
  const tenant = useTenant(gateway);
  afterEach(() => gateway.simulator.world.clearFaults());

  const fault = (to: string, kind: Fault, times?: number) =>
    gateway.simulator.world.addFault({
      fault: kind,
      scope: { recipient: to.slice(1) },
      ...(times !== undefined && { times }),
    });

  for (const kind of ['reset_after', 'reply_cut'] as const) {
    it(`settled by a status without a second send (${kind})`, async () => {
      const to = freshRecipient();
      fault(to, { kind }, 1);
      const message = await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, to), 'read');
      const [attempt] = sendsTo(gateway, to);
      assert.equal(sendsTo(gateway, to).length, 1);
      assert.equal(attempt?.outcome.kind, 'accepted');
      assert.equal(message.message_id, attempt.outcome.wamid);
    });
  }

  it('the timeline shows the attempt, and that a webhook settled it', async () => {
    const to = freshRecipient();
    fault(to, { kind: 'reset_after' }, 1);
    const id = await sendTemplate(gateway, tenant, to);
    await untilStatus(gateway, tenant, id, 'read');
    const { data } = (await call(gateway, tenant, 'GET', `/v1/messages/${id}/timeline`)).json;
    const [, attempt, sent] = data;
    assert.deepEqual([attempt.what, attempt.outcome], ['attempt', 'unknown']);
    assert.deepEqual([sent.what, sent.source], ['sent', 'webhook']);
  });

  for (const callbackData of ['order 7', '']) {
    it(`settled by the status with its own callback data (${JSON.stringify(callbackData)})`, async () => {
      const to = freshRecipient();
      fault(to, { kind: 'reset_after' }, 1);
      const id = await sendTemplate(gateway, tenant, to, 'spring_sale', { biz_opaque_callback_data: callbackData });
      await untilStatus(gateway, tenant, id, 'read');
      assert.equal(sendsTo(gateway, to).length, 1);
    });
  }

  it('its sending time is never after its arrival, however late the status comes', async () => {
    const to = freshRecipient();
    fault(to, { kind: 'reset_after' }, 1);
    fault(to, { kind: 'webhook_lost', status: 'sent' });
    fault(to, { kind: 'webhook_late', delayMs: 10_000 });
    const id = await sendTemplate(gateway, tenant, to);
    const message = await untilStatus(gateway, tenant, id, 'read');
    assert.equal(message.sent_at, message.delivered_at);
  });

  it('meanwhile: shown as queued, holds messages to its own recipient and no other', async () => {
    const to = freshRecipient();
    fault(to, { kind: 'reset_after' }, 1);
    fault(to, { kind: 'webhook_lost' }, 1);
    const unknown = await sendTemplate(gateway, tenant, to, 'spring_sale', { biz_opaque_callback_data: 'first' });
    const next = await sendTemplate(gateway, tenant, to, 'spring_sale', { biz_opaque_callback_data: 'second' });
    await gateway.simulator.world.sends.waitFor((sent) => sent.waId === to.slice(1));
    const other = await sendTemplate(gateway, tenant, freshRecipient());
    await untilStatus(gateway, tenant, other, 'read');
    assert.equal((await readMessage(gateway, tenant, unknown)).status, 'queued');
    assert.equal((await readMessage(gateway, tenant, next)).status, 'queued');
    await untilStatus(gateway, tenant, next, 'read');
    assert.deepEqual(
      sendsTo(gateway, to).map((sent) => sent.callbackData),
      ['first', 'first', 'second'],
    );
  });

  for (const [name, holdMs] of [
    ['spring_sale', 30_000],
    ['login_code', 8_000],
  ] as const) {
    it(`no status: resent once after ${holdMs / 1000} seconds (${name})`, async () => {
      const to = freshRecipient();
      fault(to, { kind: 'reset_after' }, 1);
      fault(to, { kind: 'webhook_lost' }, 1);
      const id = await sendTemplate(gateway, tenant, to, name);
      const message = await untilStatus(gateway, tenant, id, 'read');
      const [first, second, ...more] = sendsTo(gateway, to);
      assert.deepEqual(more, []);
      assert.ok(second!.arrivedAt - first!.arrivedAt >= holdMs, `${second!.arrivedAt - first!.arrivedAt} ms`);
      assert.equal(second?.outcome.kind, 'accepted');
      assert.equal(message.message_id, second.outcome.wamid);
    });
  }

  for (const [what, goOn] of [
    ['its paused number goes on', (sender) => resume(gateway, sender)],
    ['it is cancelled', (sender, id) => call(gateway, sender, 'POST', `/v1/messages/${id}/cancel`)],
  ] as [string, (sender: Tenant, id: string) => Promise<unknown>][]) {
    it(`a status arrived by the time ${what}: known as sent, not resent`, async () => {
      const stopped = await createTenant(gateway);
      const { db } = gateway.app;
      const to = freshRecipient();
      fault(to, { kind: 'reply_lost' }, 1);
      fault(to, { kind: 'webhook_lost' });
      const id = await sendTemplate(gateway, stopped, to);
      await gateway.simulator.world.sends.waitFor((sent) => sent.waId === to.slice(1));
      await pause(gateway, stopped);
      const untilFound = (event: string, text: string, value: string) =>
        until(event, async () => (await db.query({ text, values: [value] })).length > 0 || undefined);
      const waiting = 'SELECT FROM send_queue WHERE message_id = $1 AND unknown_count = 1 AND hold_until IS NULL';
      await untilFound('it waits to be sent again', waiting, id);
      const [attempt] = sendsTo(gateway, to);
      assert.equal(attempt?.outcome.kind, 'accepted');
      const told = { recipient_id: to.slice(1) };
      const statuses = [statusOf(attempt.outcome.wamid, 'delivered', Math.floor(clock.now() / 1000), told)];
      await postChange(gateway, stopped, { statuses });
      await untilFound('a status has come', 'SELECT FROM early_status WHERE contact::text = $1', to.slice(1));
      await goOn(stopped, id);
      await untilStatus(gateway, stopped, id, 'delivered');
      assert.equal(sendsTo(gateway, to).length, 1);
    });
  }

  it('unknown twice: failed with UNKNOWN_OUTCOME, not sent a third time', async () => {
    const to = freshRecipient();
    fault(to, { kind: 'reset_after' });
    fault(to, { kind: 'webhook_lost' });
    const message = await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, to, 'login_code'), 'failed');
    assert.equal(message.error_code, 'UNKNOWN_OUTCOME');
    assert.notEqual(message.error_message, '');
    assert.equal(sendsTo(gateway, to).length, 2);
    gateway.simulator.world.clearFaults();
    await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, to), 'read');
    assert.equal(sendsTo(gateway, to).length, 3);
  });

  it("the organization's policy is to fail: not resent", async () => {
    const careful = await createTenant(gateway);
    await admin(gateway, 'PATCH', `/organizations/${careful.organizationId}`, { unknown_outcome_policy: 'fail' });
    const to = freshRecipient();
    fault(to, { kind: 'reset_after' });
    fault(to, { kind: 'webhook_lost' });
    const message = await untilStatus(
      gateway,
      careful,
      await sendTemplate(gateway, careful, to, 'login_code'),
      'failed',
    );
    assert.equal(message.error_code, 'UNKNOWN_OUTCOME');
    assert.equal(sendsTo(gateway, to).length, 1);
  });
});
