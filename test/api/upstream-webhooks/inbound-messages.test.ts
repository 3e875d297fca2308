import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pullAll } from '../../harness/events.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { type Answer, call, createTenant, freshRecipient, readMessage, send, textTo } from '../../harness/tenant.ts';
import {
  freshWamid,
  inboundText,
  messagesChange,
  nowSeconds,
  payloadOf,
  postChange,
  postWebhook,
} from '../../harness/upstream-webhook.ts';

const TYPES = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'button',
  'order',
  'reaction',
  'system',
  'unsupported',
  'edit',
  'revoke',
  'a_type_of_the_future',
];

describe('inbound messages', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  const rowsOf = (wamid: string) =>
    gateway.app.db.query<{ id: string; organization_id: string; body: string; type: string }>({
      text: 'SELECT id, organization_id, body, type FROM message WHERE wamid = $1 AND direction = 1',
      values: [wamid],
    });
  const tell = (...messages: unknown[]) => postChange(gateway, tenant, { messages });

  for (const type of TYPES) {
    it(`are stored once each: ${type}`, async () => {
      const from = freshRecipient();
      const seed = { phoneNumberId: tenant.phoneNumberId, from, type, wamid: freshWamid() };
      for (let round = 0; round < 3; round += 1) await gateway.simulator.world.inbound(seed);
      const rows = await rowsOf(seed.wamid);
      assert.equal(rows.length, 1);
      assert.equal(rows[0]?.organization_id, tenant.organizationId);
      const message = await readMessage(gateway, tenant, rows[0]!.id);
      assert.partialDeepStrictEqual(message, {
        direction: 'inbound',
        message_type: type,
        message_id: seed.wamid,
        sender_phone: from.slice(1),
        recipient_phone: tenant.phoneNumber,
      });
      const open = (await send(gateway, tenant, textTo(from))).status === 202;
      assert.equal(open, type !== 'system');
    });
  }

  it('with an overlong phone number: stored without it, and so are their neighbours', async () => {
    const wamids = ['9007199254740993', '999999999999999999', '12025550188'].map((from) => ({
      from,
      id: freshWamid(),
    }));
    await tell(...wamids.map(({ from, id }) => inboundText(from, nowSeconds(), { id })));
    const senders: unknown[] = [];
    for (const { id } of wamids) {
      const [row] = await rowsOf(id);
      assert.ok(row, 'stored before the 200');
      senders.push((await readMessage(gateway, tenant, row.id)).sender_phone);
    }
    assert.deepEqual(senders, [null, null, '12025550188']);
  });

  it('are kept as received, to the last digit', async () => {
    const message = inboundText(freshRecipient().slice(1), nowSeconds());
    const text = JSON.stringify({ ...message, extra: 'N' }).replace(
      '"N"',
      '{ "n":12345678901234567890,"e":"\\u00e9" }',
    );
    const payload = JSON.stringify(payloadOf(tenant, messagesChange(tenant, { messages: ['M'] }))).replace(
      '"M"',
      () => text,
    );
    assert.equal((await postWebhook(gateway, payload)).status, 200);
    assert.equal((await rowsOf(String(message.id)))[0]?.body, text);
  });

  it('are stored once when the same payload comes many times at once', async () => {
    const message = inboundText(freshRecipient().slice(1), nowSeconds());
    await Promise.all(Array.from({ length: 20 }, () => tell(message)));
    assert.equal((await rowsOf(String(message.id))).length, 1);
  });

  it('several from one person in one payload: all stored', async () => {
    const from = freshRecipient().slice(1);
    const messages = Array.from({ length: 5 }, (_, index) => inboundText(from, nowSeconds() + index));
    await tell(...messages);
    for (const { id } of messages) assert.equal((await rowsOf(String(id))).length, 1);
  });

  it('from a person known only by user id: stored without a phone number', async () => {
    const { wamid } = await gateway.simulator.world.inbound({
      phoneNumberId: tenant.phoneNumberId,
      from: freshRecipient(),
      hidesPhone: true,
    });
    const [row] = await rowsOf(wamid);
    assert.equal((await readMessage(gateway, tenant, row!.id)).sender_phone, null);
  });

  it('from people without a phone number: one conversation for each person', async () => {
    const at = nowSeconds();
    const { from: _, ...hidden } = inboundText('', at);
    const written = [
      { ...hidden, id: freshWamid(), from_user_id: 'US.13491208655302741918' },
      { ...hidden, id: freshWamid(), from_user_id: 'US.13491208655302741918' },
      { ...hidden, id: freshWamid(), from_user_id: 'US.99991208655302740000' },
      { ...hidden, id: freshWamid(), from: '999999999999999999' },
      { ...hidden, id: freshWamid(), from: '999999999999999998' },
    ];
    await tell(...written);
    const told = new Map((await pullAll(gateway, tenant)).map(({ data }) => [data.message_id, data.conversation_id]));
    const conversations: string[] = [];
    for (const { id } of written) {
      const [row] = await rowsOf(id);
      const { conversation_id } = await readMessage(gateway, tenant, row!.id);
      assert.equal(told.get(id), conversation_id);
      conversations.push(conversation_id);
    }
    const [first, again, ...others] = conversations;
    assert.equal(again, first);
    assert.equal(new Set([first, ...others]).size, 4);
  });

  it('with a duplicate key: shown with its last value, and so are their neighbours', async () => {
    const own = await createTenant(gateway);
    const id = freshWamid();
    const message = `{"from":"12025550142","id":"${id}","timestamp":"${nowSeconds()}","type":"image","type":"text","text":{"body":"1"},"text":{"body":"2"}}`;
    const payload = JSON.stringify(payloadOf(own, messagesChange(own, { messages: ['M'] }))).replace(
      '"M"',
      () => message,
    );
    assert.equal((await postWebhook(gateway, payload)).status, 200);
    const { status, json } = await call(gateway, own, 'GET', '/v1/messages');
    assert.equal(status, 200);
    assert.deepEqual(
      json.data.map(({ message_type, content }: Answer['json']) => [message_type, content]),
      [['text', { text: { body: '2' } }]],
    );
    assert.deepEqual(await readMessage(gateway, own, json.data[0].id), json.data[0]);
  });

  it('are stored beside unreadable ones', async () => {
    const good = inboundText(freshRecipient().slice(1), nowSeconds());
    await tell(
      null,
      'x',
      {},
      { id: freshWamid() },
      { ...good, id: '' },
      { ...good, id: freshWamid(), timestamp: 'x' },
      good,
      7,
    );
    assert.equal((await rowsOf(String(good.id))).length, 1);
  });

  it('survive a NUL in type and text', async () => {
    const message = inboundText(freshRecipient().slice(1), nowSeconds(), {
      type: 'te\u0000xt',
      text: { body: 'a\u0000b' },
    });
    await tell(message);
    assert.equal((await rowsOf(String(message.id))).length, 1);
  });

  it('to an unconnected number: journaled, without a message', async () => {
    const message = inboundText(freshRecipient().slice(1), nowSeconds());
    const stranger = { ...tenant, phoneNumberId: '899999999999999' };
    await postChange(gateway, stranger, { messages: [message] });
    assert.deepEqual(await rowsOf(String(message.id)), []);
  });

  it('belong to the organization of the receiving number', async () => {
    const from = freshRecipient();
    const { wamid } = await gateway.simulator.world.inbound({ phoneNumberId: other.phoneNumberId, from });
    const [row] = await rowsOf(wamid);
    assert.equal(row?.organization_id, other.organizationId);
    assert.equal((await readMessage(gateway, other, row!.id)).direction, 'inbound');
    assert.equal((await send(gateway, tenant, textTo(from))).status, 403);
    assert.equal((await send(gateway, other, textTo(from))).status, 202);
  });

  it('from one person to several numbers at once: open each window, by the newest time', async () => {
    const from = freshRecipient();
    const now = nowSeconds();
    const payloads = [tenant, other].map((receiver, index) => {
      const times = index === 0 ? [now, now - 100_000] : [now - 100_000, now];
      const messages = times.map((at) => inboundText(from.slice(1), at));
      return payloadOf(receiver, messagesChange(receiver, { messages }));
    });
    const entry = payloads.flatMap((payload) => payload.entry);
    assert.equal((await postWebhook(gateway, { ...payloads[0], entry })).status, 200);
    for (const receiver of [tenant, other]) assert.equal((await send(gateway, receiver, textTo(from))).status, 202);
  });
});
