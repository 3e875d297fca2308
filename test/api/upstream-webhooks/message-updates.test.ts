import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { currentCursor, pullAll, untilSettled } from '../../harness/events.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, call, freshRecipient, readMessage, sendNow, until } from '../../harness/tenant.ts';
import {
  freshWamid,
  nowSeconds,
  payloadOf,
  postChange,
  postWebhook,
  statusOf,
} from '../../harness/upstream-webhook.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { createWebhook } from '../webhooks/webhook-endpoint.ts';

/** The subscription that the guide recommends to handlers written for the platform. */
const EVENTS_OF_MESSAGES = ['message.sent', 'message.delivered', 'message.read', 'message.failed', 'message.received'];

const payment = (wamid: string, status: string, reference: string) => ({
  ...statusOf(wamid, status, nowSeconds()),
  type: 'payment',
  payment: { reference_id: reference, amount: { value: 2100, offset: 100 }, currency: 'BRL' },
});

describe('statuses that are no delivery status', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  /** Sends a message whose statuses only the test reports. */
  async function sendSilently(): Promise<{ id: string; wamid: string }> {
    const to = freshRecipient();
    gateway.simulator.world.addFault({ fault: { kind: 'webhook_lost' }, scope: { recipient: to.slice(1) } });
    return sendNow(gateway, tenant, to);
  }

  it('payments before and after `delivered`: the message keeps its status, each has an event', async () => {
    const after = await currentCursor(gateway, tenant);
    const { id, wamid } = await sendSilently();
    await postChange(gateway, tenant, { statuses: [payment(wamid, 'failed', 'early')] });
    assert.equal((await readMessage(gateway, tenant, id)).status, 'sent');
    await postChange(gateway, tenant, { statuses: [statusOf(wamid, 'delivered', nowSeconds())] });
    const captured = payment(wamid, 'captured', 'late');
    await postChange(gateway, tenant, { statuses: [captured, { ...captured, type: 'novelty', status: 'read' }] });
    const message = await readMessage(gateway, tenant, id);
    assert.deepEqual([message.status, message.read_at, message.error_code], ['delivered', null, undefined]);
    const events = (await pullAll(gateway, tenant, after)).filter(({ data }) => data.id === id);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.sequence, data.update?.type, data.update?.payment?.reference_id]),
      [
        ['message.queued', 1, undefined, undefined],
        ['message.sent', 2, undefined, undefined],
        ['message.updated', 3, 'payment', 'early'],
        ['message.delivered', 4, undefined, undefined],
        ['message.updated', 5, 'payment', 'late'],
        ['message.updated', 6, 'novelty', 'late'],
      ],
    );
    assert.deepEqual(await pullAll(gateway, other), []);
  });

  it('a payment reported twice: one event', async () => {
    const after = await currentCursor(gateway, tenant);
    const { wamid } = await sendSilently();
    const change = {
      field: 'messages',
      value: { metadata: { phone_number_id: tenant.phoneNumberId }, statuses: [payment(wamid, 'captured', 'twice')] },
    };
    for (const spare of [1, 2]) {
      const entry = [{ id: tenant.wabaId, time: 1_790_000_000, changes: [change], spare }];
      assert.equal((await postWebhook(gateway, { object: 'whatsapp_business_account', entry })).status, 200);
    }
    const events = await pullAll(gateway, tenant, after);
    assert.equal(events.filter(({ type }) => type === 'message.updated').length, 1);
  });

  it('an endpoint for `messages` events: gets payments under the id of their send', async () => {
    await using receiver = await startReceiver();
    const settings = { url: receiver.url, format: 'cloud_api', message_ids: 'gateway' };
    await createWebhook(gateway, tenant, { ...settings, events: EVENTS_OF_MESSAGES });
    const { id, wamid } = await sendSilently();
    await postChange(gateway, tenant, { statuses: [payment(wamid, 'captured', 'order-9')] });
    const status = await until('the payment came', () =>
      receiver.received
        .map(({ json }) => json.entry[0].changes[0].value.statuses[0])
        .find(({ type }) => type === 'payment'),
    );
    assert.deepEqual(
      [status.id, status.wamid, status.status, status.payment.reference_id],
      [id, wamid, 'captured', 'order-9'],
    );
  });

  it('a payment of a message sent elsewhere: passed on as `upstream.other`', async () => {
    const after = await currentCursor(gateway, tenant);
    const wamid = freshWamid();
    await postChange(gateway, tenant, { statuses: [payment(wamid, 'captured', 'foreign')] });
    const [event] = await pullAll(gateway, tenant, after);
    assert.deepEqual([event.type, event.data.value.statuses[0].id], ['upstream.other', wamid]);
  });

  it('a message without a readable time: stored with the time of its arrival', async () => {
    const after = await currentCursor(gateway, tenant);
    const from = freshRecipient().slice(1);
    const beforeMs = Date.now();
    for (const timestamp of ['soon', undefined, '']) {
      await postChange(gateway, tenant, {
        messages: [{ from, id: freshWamid(), timestamp, type: 'text', text: { body: 'Hello?' } }],
      });
    }
    const events = await pullAll(gateway, tenant, after);
    assert.deepEqual(
      events.map(({ type }) => type),
      Array(3).fill('message.received'),
    );
    for (const { timestamp } of events)
      assert.ok(Date.parse(timestamp) >= beforeMs && Date.parse(timestamp) <= Date.now());
    const answer = await call(gateway, tenant, 'GET', `/v1/messages/${events[0].data.id}`);
    assert.equal(answer.json.sent_at, events[0].timestamp);
  });

  it('parts without a recipient here or unreadable: named in the journal, others applied', async () => {
    const from = new Date(Date.now() - 1).toISOString();
    const after = await currentCursor(gateway, tenant);
    const sound = {
      from: freshRecipient().slice(1),
      id: freshWamid(),
      timestamp: String(nowSeconds()),
      type: 'text',
      text: { body: 'Hi' },
    };
    const addressedTo = (phoneNumberId: string) => ({
      metadata: { phone_number_id: phoneNumberId },
      messages: [sound],
    });
    await postWebhook(gateway, {
      ...payloadOf(tenant, { field: 'messages', value: addressedTo('999000111') }, 'no change', {
        field: 'messages',
        value: addressedTo(tenant.phoneNumberId),
      }),
    });
    await untilSettled(gateway.app.db);
    const journal = await admin<{ data: { failure: string | null; pending: boolean }[] }>(
      gateway,
      'GET',
      `/upstream-journal?from=${from}`,
    );
    const { failure, pending } = journal.data.find((one) => one.failure?.includes('999000111'))!;
    assert.match(failure ?? '', /^entry\[0\]\.changes\[1\]: .*; number 999000111 is not connected$/);
    assert.equal(pending, false);
    const events = await pullAll(gateway, tenant, after);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['message.received'],
    );
  });
});
