import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { describe, it } from 'node:test';
import { ordinaryPerson, userIdOf } from '../../../src/simulator/people/person.ts';
import { assertError } from '../../harness/assert-error.ts';
import { currentCursor, pullAll, pullPage, untilSettled } from '../../harness/events.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, call, createTenant, freshRecipient, send, sendNow, templateTo, until } from '../../harness/tenant.ts';
import {
  freshWamid,
  inboundText,
  messagesChange,
  nowSeconds,
  payloadOf,
  postChange,
  postWebhook,
} from '../../harness/upstream-webhook.ts';
import { type Received, startReceiver } from './receiver.ts';
import { createWebhook, emitEvents } from './webhook-endpoint.ts';

/** Checks the upstream's signature as receivers written for the upstream do. */
function isFromUpstream(request: Pick<Received, 'headers' | 'body'>, appSecret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', appSecret).update(request.body).digest('hex')}`);
  const given = Buffer.from(String(request.headers['x-hub-signature-256']));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

describe('webhooks in the format of the upstream', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);

  it('carry statuses as the upstream reported them, signed with the secret as app secret', async () => {
    await using receiver = await startReceiver();
    const { secret } = await createWebhook(gateway, tenant, { url: receiver.url, format: 'cloud_api' });
    const to = freshRecipient();
    await send(gateway, tenant, { ...templateTo(to), biz_opaque_callback_data: 'Größe 7 ☕' });
    await until('sent, delivered and read came', () => receiver.received.length >= 3 || undefined);
    const statuses = receiver.received.map((request) => {
      assert.ok(isFromUpstream(request, secret));
      assert.ok(!isFromUpstream({ ...request, body: `${request.body} ` }, secret));
      const { object, entry } = request.json;
      assert.equal(object, 'whatsapp_business_account');
      assert.equal(entry[0].id, tenant.wabaId);
      const { field, value } = entry[0].changes[0];
      assert.equal(field, 'messages');
      assert.equal(value.messaging_product, 'whatsapp');
      assert.equal(value.metadata.phone_number_id, tenant.phoneNumberId);
      assert.equal(value.statuses.length, 1);
      assert.equal(value.statuses[0].recipient_id, to.slice(1));
      assert.match(value.statuses[0].id, /^wamid\./);
      assert.equal(value.statuses[0].biz_opaque_callback_data, 'Größe 7 ☕');
      assert.match(request.body, /^[ -~]*$/);
      return value.statuses[0].status;
    });
    assert.deepEqual(statuses.sort(), ['delivered', 'read', 'sent']);
  });

  it('on request, name messages by the id in the answer to their send', async () => {
    await using receiver = await startReceiver();
    const { id } = await createWebhook(gateway, tenant, { url: receiver.url, format: 'cloud_api' });
    const changed = await call(gateway, tenant, 'PATCH', `/v1/webhooks/${id}`, { body: { message_ids: 'gateway' } });
    assert.equal(changed.json.message_ids, 'gateway', changed.text);
    const answer = await send(gateway, tenant, templateTo(freshRecipient()));
    await until('sent, delivered and read came', () => receiver.received.length >= 3 || undefined);
    for (const { json } of receiver.received) {
      const [status] = json.entry[0].changes[0].value.statuses;
      assert.equal(status.id, answer.json.messages[0].id);
      assert.match(status.wamid, /^wamid\./);
    }
  });

  it('on request, quotes and reactions name our messages by the id in the answer to their send', async () => {
    await using receiver = await startReceiver();
    const endpoint = { url: receiver.url, format: 'cloud_api', message_ids: 'gateway', events: ['message.received'] };
    await createWebhook(gateway, tenant, endpoint);
    const from = freshRecipient().slice(1);
    const { id, wamid } = await sendNow(gateway, tenant, `+${from}`);
    const foreign = await sendNow(gateway, await createTenant(gateway), `+${from}`);
    const at = Math.floor(Date.now() / 1000);
    const own = inboundText(from, at);
    const messages = [
      inboundText(from, at, { context: { from: tenant.phoneNumber, id: wamid, z: 1 } }),
      inboundText(from, at, { type: 'reaction', text: undefined, reaction: { message_id: wamid, emoji: '👍' } }),
      own,
      inboundText(from, at, { context: { from, id: own.id } }),
      inboundText(from, at, { context: { from: tenant.phoneNumber, id: foreign.wamid } }),
      inboundText(from, at, { context: { from: tenant.phoneNumber, id: freshWamid() } }),
      inboundText(from, at, { context: { forwarded: true } }),
    ];
    for (const [index, message] of messages.entries()) {
      await postChange(gateway, tenant, { contacts: [{ wa_id: from }], messages: [message] });
      await until('it came', () => receiver.received[index]);
    }
    const received = receiver.received.map(({ json }) => json.entry[0].changes[0].value.messages[0]);
    const [quoting, reacting, ...others] = received;
    assert.deepEqual(quoting, { ...messages[0], context: { wamid, from: tenant.phoneNumber, id, z: 1 } });
    assert.deepEqual(reacting.reaction, { wamid, message_id: id, emoji: '👍' });
    assert.deepEqual(others, JSON.parse(JSON.stringify(messages.slice(2))));
  });

  it("`sent` carries the recipient's contact, as reported with the person's last message", async () => {
    await using receiver = await startReceiver();
    await createWebhook(gateway, tenant, { url: receiver.url, format: 'cloud_api', events: ['message.sent'] });
    const to = freshRecipient();
    await sendNow(gateway, tenant, to);
    await until('the first status came', () => receiver.received[0]);
    const userId = userIdOf(ordinaryPerson(to.slice(1)), { portfolioId: tenant.wabaId, parentPortfolioId: null });
    const contact = { profile: { name: 'Ada' }, wa_id: to.slice(1), user_id: userId };
    const text = inboundText(to.slice(1), Math.floor(Date.now() / 1000));
    await postChange(gateway, tenant, { contacts: [contact], messages: [text] });
    await sendNow(gateway, tenant, to);
    const second = await until('the second status came', () => receiver.received[1]);
    const [before, after] = [receiver.received[0], second].map((request) => request?.json.entry[0].changes[0].value);
    assert.deepEqual(before.contacts, [{ wa_id: to.slice(1) }]);
    assert.deepEqual(after.contacts, [contact]);
    assert.equal(after.statuses[0].recipient_user_id, userId);
  });

  it('with `+` here and in the answers of the organization, one person has one spelling', async () => {
    await using receiver = await startReceiver();
    const owner = await createTenant(gateway);
    await createWebhook(gateway, owner, { url: receiver.url, format: 'cloud_api', phone_numbers: 'e164' });
    await admin(gateway, 'PATCH', `/organizations/${owner.organizationId}`, { phone_numbers: 'e164' });
    const to = freshRecipient();
    const answer = await send(gateway, owner, templateTo(`${to.slice(0, 5)} ${to.slice(5)}`));
    assert.deepEqual(answer.json.contacts, [{ input: to, wa_id: to }]);
    const request = await until('a status came', () => receiver.received[0]);
    const { contacts, statuses } = request.json.entry[0].changes[0].value;
    assert.deepEqual([contacts[0].wa_id, statuses[0].recipient_id], [to, to]);
  });

  it("carry people's messages, with their names", async () => {
    await using receiver = await startReceiver();
    const { secret } = await createWebhook(gateway, tenant, { url: receiver.url, format: 'cloud_api' });
    const from = freshRecipient().slice(1);
    await gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from, type: 'text' } as never);
    const request = await until('the message came', () => receiver.received[0]);
    assert.ok(isFromUpstream(request, secret));
    const { value } = request.json.entry[0].changes[0];
    assert.equal(value.messages[0].from, from);
    assert.equal(value.contacts[0].wa_id, from);
  });

  it("on request, name people as a send's `to` requires, so that replies reach them", async () => {
    await using receiver = await startReceiver();
    const endpoint = { url: receiver.url, format: 'cloud_api', phone_numbers: 'e164' };
    const { id, secret } = await createWebhook(gateway, tenant, endpoint);
    const to = freshRecipient();
    await gateway.simulator.world.inbound({
      phoneNumberId: tenant.phoneNumberId,
      from: to.slice(1),
      type: 'text',
    } as never);
    const request = await until('the message came', () => receiver.received[0]);
    assert.ok(isFromUpstream(request, secret));
    const { value } = request.json.entry[0].changes[0];
    assert.deepEqual([value.messages[0].from, value.contacts[0].wa_id], [to, to]);
    const answer = {
      messaging_product: 'whatsapp',
      to: value.messages[0].from,
      type: 'text',
      text: { body: 'Thank you!' },
    };
    assert.equal((await send(gateway, tenant, answer)).status, 202);
    await until('sent, delivered and read came', () => receiver.received.length >= 4 || undefined);
    for (const { json } of receiver.received.slice(1)) {
      assert.equal(json.entry[0].changes[0].value.statuses[0].recipient_id, to);
    }
    await call(gateway, tenant, 'PATCH', `/v1/webhooks/${id}`, { body: { phone_numbers: 'upstream' } });
    await gateway.simulator.world.inbound({
      phoneNumberId: tenant.phoneNumberId,
      from: to.slice(1),
      type: 'text',
    } as never);
    const after = await until('the next message came', () => receiver.received[4]);
    assert.equal(after.json.entry[0].changes[0].value.messages[0].from, to.slice(1));
  });

  it('name changed numbers, shared contacts and preferences alike', async () => {
    await using receiver = await startReceiver();
    await createWebhook(gateway, tenant, { url: receiver.url, format: 'cloud_api', phone_numbers: 'e164' });
    const [from, moved, other] = [freshRecipient(), freshRecipient(), freshRecipient()].map((to) => to.slice(1)) as [
      string,
      string,
      string,
    ];
    const at = Math.floor(Date.now() / 1000);
    const card = [{ name: { formatted_name: 'Ada' }, phones: [{ phone: `+${other}`, wa_id: other }] }];
    const told = [
      messagesChange(tenant, {
        messages: [
          inboundText(from, at, {
            type: 'system',
            text: undefined,
            system: { wa_id: moved, type: 'user_changed_number' },
          }),
        ],
      }),
      messagesChange(tenant, {
        contacts: [{ wa_id: from }],
        messages: [inboundText(from, at, { type: 'contacts', text: undefined, contacts: card })],
      }),
      {
        field: 'user_preferences',
        value: {
          contacts: [{ wa_id: from }, { wa_id: other }, { user_id: 'US.1' }],
          user_preferences: [{ wa_id: from }, { wa_id: other }, { user_id: 'US.1' }],
        },
      },
      { field: 'user_id_update', value: { contacts: [{ wa_id: from }], user_id_update: [{ wa_id: from }] } },
    ];
    for (const [index, change] of told.entries()) {
      assert.equal((await postWebhook(gateway, payloadOf(tenant, change))).status, 200);
      await until('it came', () => receiver.received[index]);
    }
    const [system, shared, preferences, update] = receiver.received.map(({ json }) => json.entry[0].changes[0].value);
    assert.deepEqual([system.messages[0].from, system.messages[0].system.wa_id], [`+${from}`, `+${moved}`]);
    assert.deepEqual(
      [shared.contacts[0].wa_id, shared.messages[0].contacts],
      [`+${from}`, [{ ...card[0], phones: [{ phone: `+${other}`, wa_id: `+${other}` }] }]],
    );
    const people = [{ wa_id: `+${from}` }, { wa_id: `+${other}` }, { user_id: 'US.1' }];
    assert.deepEqual([preferences.contacts, preferences.user_preferences], [people, people]);
    assert.deepEqual([update.contacts, update.user_id_update], [[people[0]], [people[0]]]);
  });

  it('name callers and called people alike, and keep our own number as reported', async () => {
    await using receiver = await startReceiver();
    await createWebhook(gateway, tenant, { url: receiver.url, format: 'cloud_api', phone_numbers: 'e164' });
    const { phoneNumber: ours } = tenant;
    const person = freshRecipient();
    const digits = person.slice(1);
    const calls = [
      { from: digits, to: ours },
      { from: ours, to: digits },
    ];
    const told = [
      { ...messagesChange(tenant, { contacts: [{ wa_id: digits }], calls }), field: 'calls' },
      { ...messagesChange(tenant, { message_echoes: calls.slice(1) }), field: 'smb_message_echoes' },
    ];
    for (const [index, change] of told.entries()) {
      assert.equal((await postWebhook(gateway, payloadOf(tenant, change))).status, 200);
      await until('it came', () => receiver.received[index]);
    }
    const [calling, answered] = receiver.received.map(({ json }) => json.entry[0].changes[0].value);
    assert.deepEqual(calling.contacts, [{ wa_id: person }]);
    assert.deepEqual(calling.calls, [
      { from: person, to: ours },
      { from: ours, to: person },
    ]);
    assert.deepEqual(answered.message_echoes, [{ from: ours, to: person }]);
  });

  it('the pull feed in this format has the bodies of the deliveries, and no other events', async () => {
    await using receiver = await startReceiver();
    const owner = await createTenant(gateway);
    const form = { format: 'cloud_api', message_ids: 'gateway', phone_numbers: 'e164' };
    await createWebhook(gateway, owner, { url: receiver.url, ...form });
    const { wamid, to } = { ...(await sendNow(gateway, owner, freshRecipient())), to: freshRecipient().slice(1) };
    const quoting = inboundText(to, nowSeconds(), { context: { id: wamid }, text: { body: 'Grüße' } });
    await postChange(gateway, owner, { contacts: [{ wa_id: to }], messages: [quoting] });
    await until('two statuses and the message came', () => receiver.received.length >= 4 || undefined);
    await untilSettled(gateway.app.db);
    const { text } = await call(gateway, owner, 'GET', `/v1/events?${new URLSearchParams(form)}`);
    const types = JSON.parse(text).data.map(({ type }: { type: string }) => type);
    assert.ok(!types.includes('message.queued'), types.join());
    assert.equal(types.length, receiver.received.length);
    for (const { headers, body } of receiver.received) {
      assert.ok(text.includes(`{"id":"${headers['webhook-id']}",`), headers['webhook-id'] as string);
      assert.ok(text.includes(`"data":${body}}`), body);
    }
    for (const query of ['format=graph', 'phone_numbers=e164', 'format=cloud_api&message_ids=both'])
      assertError(await call(gateway, owner, 'GET', `/v1/events?${query}`), 400, 'VALIDATION_ERROR');
  });

  it('carry account changes verbatim', async () => {
    await using receiver = await startReceiver();
    await createWebhook(gateway, tenant, { url: receiver.url, format: 'cloud_api' });
    await emitEvents(gateway, tenant, 1);
    const request = await until('the change came', () => receiver.received[0]);
    assert.match(request.body, /"n":12345678901234567890/);
    assert.equal(request.json.entry[0].changes[0].field, 'account_update');
  });

  it('carry errors of a number that are reported under `messages` but concern none', async () => {
    await using receiver = await startReceiver();
    await createWebhook(gateway, tenant, { url: receiver.url, format: 'cloud_api', events: ['upstream.other'] });
    const start = await currentCursor(gateway, tenant);
    const change = messagesChange(tenant, { errors: [{ code: 130429, title: 'Rate limit hit' }] });
    assert.equal((await postWebhook(gateway, payloadOf(tenant, change))).status, 200);
    const request = await until('the trouble came', () => receiver.received[0], 10_000);
    assert.deepEqual(request.json.entry[0].changes, [change]);
    const [event] = await pullAll(gateway, tenant, start);
    assert.equal(event.type, 'upstream.other');
    assert.deepEqual(event.data, { waba_id: tenant.wabaId, phone_number_id: tenant.phoneNumberId, ...change });
  });

  it('carry fields beside messages and statuses as reported, in a payload of their own', async () => {
    await using receiver = await startReceiver();
    await createWebhook(gateway, tenant, { url: receiver.url, format: 'cloud_api', events: ['upstream.other'] });
    const start = await currentCursor(gateway, tenant);
    const from = freshRecipient().slice(1);
    const contacts = [{ profile: { name: 'Ada' }, wa_id: from }];
    const message = inboundText(from, 1_795_000_000);
    const deleted = { id: freshWamid(), status: 'deleted', timestamp: '1795000000', recipient_id: from, why: 1.0 };
    const { wamid } = await sendNow(gateway, tenant, `+${from}`);
    const played = { ...deleted, id: wamid, status: 'played' };
    const errors = [{ code: 131051, title: 'Message type unknown' }];
    const told = payloadOf(
      tenant,
      messagesChange(tenant, { contacts, statuses: [played, deleted] }),
      messagesChange(tenant, { contacts, messages: [message], errors }),
      messagesChange(tenant, { statuses: [played], errors: [] }),
    );
    assert.equal((await postWebhook(gateway, told)).status, 200);
    await until('both came', () => receiver.received[1], 10_000);
    const { data: others } = await pullPage(gateway, tenant, { after: start, type: 'upstream.other' });
    assert.deepEqual(
      others.map((event) => event.data.value).sort((first) => (first.statuses === undefined ? 1 : -1)),
      [
        messagesChange(tenant, { contacts, statuses: [deleted] }).value,
        messagesChange(tenant, { contacts, errors }).value,
      ],
    );
    assert.ok(others.every((event) => event.data.phone_number_id === tenant.phoneNumberId));
    assert.deepEqual(
      receiver.received.map(({ json }) => json.entry[0].changes[0].field),
      ['messages', 'messages'],
    );
    const received = await pullPage(gateway, tenant, { after: start, type: 'message.received' });
    assert.deepEqual(received.data[0].data.message, message);
  });

  it('are signed with both secrets after a rotation, the old one in the usual header', async () => {
    await using receiver = await startReceiver();
    const { id, secret } = await createWebhook(gateway, tenant, { url: receiver.url, format: 'cloud_api' });
    const rotated = await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/rotate-secret`);
    assert.notEqual(rotated.json.secret, secret);
    await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/test`);
    const during = await until('the first test came', () => receiver.received[0]);
    assert.ok(isFromUpstream(during, secret));
    const next = { 'x-hub-signature-256': during.headers['x-hub-signature-256-next'] };
    assert.ok(isFromUpstream({ ...during, headers: next }, rotated.json.secret));
  });
});
