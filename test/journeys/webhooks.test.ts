import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startReceiver } from '../api/webhooks/receiver.ts';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import { call, freshRecipient, send, templateTo, until } from '../harness/tenant.ts';

describe('webhooks to the customer', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);

  it('report each step of a message, signed, with the data of the send', async () => {
    await using receiver = await startReceiver();
    const created = await call(gateway, tenant, 'POST', '/v1/webhooks', { body: { url: receiver.url } });
    assert.equal(created.status, 201, created.text);
    const carried = 'order 7 "ü" ';
    const sent = await send(gateway, tenant, {
      ...templateTo(freshRecipient()),
      biz_opaque_callback_data: carried,
    });
    const id = sent.json.messages[0].id;
    await until('all steps are told', () => receiver.received.length >= 4 || undefined);
    const webhook = new Webhook(created.json.secret);
    const types = receiver.received.map((request) => {
      const payload = webhook.verify(request.body, request.headers as Record<string, string>);
      assert.deepEqual(payload, request.json);
      assert.equal(request.json.data.id, id);
      assert.equal(request.json.data.biz_opaque_callback_data, carried);
      return request.json.type;
    });
    assert.deepEqual(types.sort(), ['message.delivered', 'message.queued', 'message.read', 'message.sent']);
    assert.equal(new Set(receiver.received.map((request) => request.id)).size, 4, 'each event has its id');

    const deliveries = await until('the timeline shows all deliveries', async () => {
      const timeline = await call(gateway, tenant, 'GET', `/v1/messages/${id}/timeline`);
      const shown = timeline.json.data.filter((entry: { what: string }) => entry.what === 'webhook');
      return shown.length === 4 ? shown : undefined;
    });
    for (const delivery of deliveries) {
      assert.deepEqual(
        [delivery.webhook_id, delivery.outcome, delivery.http_status],
        [created.json.id, 'delivered', 204],
      );
    }
  });
});
