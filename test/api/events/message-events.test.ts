import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ListedEvent, pullAll, untilEvents } from '../../harness/events.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { freshRecipient, readMessage, sendTemplate, until, untilStatus } from '../../harness/tenant.ts';
import {
  freshWamid,
  inboundText,
  messagesChange,
  nowSeconds,
  payloadOf,
  postChange,
  postWebhook,
  statusOf,
} from '../../harness/upstream-webhook.ts';

const typesOf = (events: ListedEvent[]) => events.map((event) => event.type.replace('message.', ''));
const sequencesOf = (events: ListedEvent[]) => events.map((event) => event.data.sequence);

describe('events of messages', () => {
  const gateway = useGateway({ postsOwnWebhooks: true });
  const tenant = useTenant(gateway);

  /** Sends a message that the upstream accepted without any further status. */
  async function sentMessage(callbackData?: string): Promise<{ id: string; wamid: string; to: string }> {
    const to = freshRecipient();
    const extra = callbackData === undefined ? {} : { biz_opaque_callback_data: callbackData };
    const id = await sendTemplate(gateway, tenant, to, 'spring_sale', extra);
    const { message_id } = await untilStatus(gateway, tenant, id, 'sent');
    return { id, wamid: message_id, to: to.slice(1) };
  }

  const tell = (statuses: unknown[]) => postChange(gateway, tenant, { statuses });

  async function eventsOf(id: string): Promise<ListedEvent[]> {
    return (await pullAll(gateway, tenant)).filter((event) => event.data.id === id);
  }

  it('omit callback data too long for the upstream, which the message still carries', async () => {
    const to = freshRecipient();
    const long = 'x'.repeat(100_000);
    const id = await sendTemplate(gateway, tenant, to, 'spring_sale', { biz_opaque_callback_data: long });
    const posted = await gateway.simulator.world.sends.waitFor((sent) => sent.waId === to.slice(1));
    assert.ok(String(posted.body).includes(long));
    await untilStatus(gateway, tenant, id, 'failed');
    for (const event of await eventsOf(id)) assert.equal(event.data.biz_opaque_callback_data, undefined);
  });

  it('report every step of a message once, in order, with its callback data verbatim', async () => {
    const callbackData = '{"order":12345678901234567890, "ü":"\\u00fc \\" ✓"}';
    const { id, wamid, to } = await sentMessage(callbackData);
    const at = nowSeconds();
    await tell([statusOf(wamid, 'delivered', at)]);
    await tell([statusOf(wamid, 'read', at + 1)]);
    const events = await eventsOf(id);
    assert.deepEqual(typesOf(events), ['queued', 'sent', 'delivered', 'read']);
    assert.deepEqual(sequencesOf(events), [1, 2, 3, 4]);
    const message = await readMessage(gateway, tenant, id);
    for (const event of events) {
      assert.match(event.id, /^evt_[0-9a-f]{36}$/);
      assert.equal(event.data.biz_opaque_callback_data, callbackData);
      assert.equal(event.data.phone_number_id, tenant.phoneNumberId);
      assert.equal(event.data.waba_id, tenant.wabaId);
      assert.equal(event.data.conversation_id, message.conversation_id);
      assert.equal(event.data.recipient_phone, to);
      assert.equal(event.data.message_id, event.type === 'message.queued' ? null : message.message_id);
    }
    assert.equal(new Set(events.map((event) => event.id)).size, 4);
    assert.equal(events[2].timestamp, message.delivered_at);
    assert.equal(events[3].timestamp, message.read_at);
  });

  it('one payload with sent, delivered and read: three events, in order of rank', async () => {
    const { id, wamid } = await sentMessage();
    const at = nowSeconds();
    await tell([statusOf(wamid, 'read', at + 2), statusOf(wamid, 'delivered', at + 1), statusOf(wamid, 'sent', at)]);
    const events = await eventsOf(id);
    assert.deepEqual(typesOf(events), ['queued', 'sent', 'delivered', 'read']);
    assert.deepEqual(sequencesOf(events), [1, 2, 3, 4]);
  });

  it('are deleted with their message', async () => {
    const [kept, dropped] = [await sentMessage(), await sentMessage()];
    await eventsOf(dropped.id);
    await gateway.app.db.query({ text: 'DELETE FROM message WHERE id = $1', values: [dropped.id] });
    const events = (await pullAll(gateway, tenant)).filter((event) => event.type.startsWith('message.'));
    assert.ok(events.some((event) => event.data.id === kept.id));
    for (const event of events) assert.ok(event.data.id !== undefined && event.data.id !== dropped.id, event.id);
  });

  it('repeated statuses make no further events', async () => {
    const { id, wamid } = await sentMessage();
    const at = nowSeconds();
    const delivered = statusOf(wamid, 'delivered', at);
    await tell([delivered]);
    await tell([delivered, delivered]);
    await tell([statusOf(wamid, 'delivered', at + 5, { pricing: { type: 'regular', category: 'utility' } })]);
    assert.deepEqual(typesOf(await eventsOf(id)), ['queued', 'sent', 'delivered']);
  });

  it('do not invent an unreported delivery, and report it when it is reported', async () => {
    const { id, wamid } = await sentMessage();
    const at = nowSeconds();
    await tell([statusOf(wamid, 'read', at)]);
    assert.ok((await readMessage(gateway, tenant, id)).delivered_at, 'the delivery time is filled in');
    assert.deepEqual(typesOf(await eventsOf(id)), ['queued', 'sent', 'read']);
    await tell([statusOf(wamid, 'delivered', at)]);
    const events = await eventsOf(id);
    assert.deepEqual(typesOf(events), ['queued', 'sent', 'read', 'delivered']);
    assert.deepEqual(sequencesOf(events), [1, 2, 3, 4]);
  });

  it('report a failure with its code and text, and no contradicting status', async () => {
    const { id, wamid } = await sentMessage('kept');
    const at = nowSeconds();
    const errors = [{ code: 131049, title: 'Not now', message: 'Not now', error_data: { details: 'Kept back.' } }];
    await tell([statusOf(wamid, 'failed', at, { errors })]);
    await tell([statusOf(wamid, 'delivered', at + 1)]);
    const events = await eventsOf(id);
    assert.deepEqual(typesOf(events), ['queued', 'sent', 'failed']);
    const { error_code, error_message, biz_opaque_callback_data } = events[2].data;
    assert.deepEqual(
      { error_code, error_message, biz_opaque_callback_data },
      { error_code: '131049', error_message: 'Kept back.', biz_opaque_callback_data: 'kept' },
    );
  });

  it('do not report a failure after a delivery', async () => {
    const { id, wamid } = await sentMessage();
    await tell([statusOf(wamid, 'delivered', nowSeconds())]);
    await tell([statusOf(wamid, 'failed', nowSeconds(), { errors: [{ code: 131026, title: 'Undeliverable' }] })]);
    assert.deepEqual(typesOf(await eventsOf(id)), ['queued', 'sent', 'delivered']);
  });

  it("report a status that overtook its send's answer, in the upstream's words", async () => {
    const { world } = gateway.simulator;
    world.setWebhookUrl(`${gateway.baseUrl}/webhooks/upstream`);
    const to = freshRecipient();
    const fault = world.addFault({ fault: { kind: 'webhook_first' }, scope: { recipient: to.slice(1) } });
    const id = await sendTemplate(gateway, tenant, to);
    const events = await untilEvents(gateway, tenant, id, 4);
    world.clearFaults(fault.id);
    world.setWebhookUrl(null);
    assert.deepEqual(typesOf(events).slice(0, 2), ['queued', 'sent']);
    assert.deepEqual(sequencesOf(events), [1, 2, 3, 4]);
  });

  it("report every type of inbound message once, with the sender's name", async () => {
    const from = freshRecipient().slice(1);
    const at = nowSeconds();
    const messages = [
      inboundText(from, at),
      {
        from,
        id: freshWamid(),
        timestamp: String(at),
        type: 'reaction',
        reaction: { message_id: 'wamid.x', emoji: '👍' },
      },
      { from, id: freshWamid(), timestamp: String(at), type: 'a_type_of_tomorrow', a_type_of_tomorrow: { n: 1 } },
    ];
    const contacts = [
      { profile: { name: 'Somebody else' }, wa_id: '12025550000' },
      { profile: { name: 'Ada' }, wa_id: from },
    ];
    const payload = payloadOf(tenant, messagesChange(tenant, { contacts, messages }));
    const text = JSON.stringify(payload).replace('"n":1', '"n":12345678901234567890');
    assert.equal((await postWebhook(gateway, text)).status, 200);
    assert.equal((await postWebhook(gateway, ` ${text}`)).status, 200, 'the same again in other bytes');
    const received = await until('three messages are told of', async () => {
      const events = (await pullAll(gateway, tenant)).filter((event) => event.data.sender_phone === from);
      return events.length >= 3 ? events : undefined;
    });
    assert.deepEqual(received.map((event) => event.data.message_type).sort(), [
      'a_type_of_tomorrow',
      'reaction',
      'text',
    ]);
    for (const event of received) {
      assert.equal(event.type, 'message.received');
      assert.deepEqual(event.data.contact, contacts[1]);
      assert.equal(event.data.recipient_phone, tenant.phoneNumber);
    }
    const told = received.find((event) => event.data.message_type === 'text');
    assert.deepEqual(told.data.message, messages[0]);
  });
});
