import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { currentCursor, pullAll } from '../../harness/events.ts';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import {
  type Answer,
  admin,
  call,
  createTenant,
  freshRecipient,
  pause,
  resume,
  send,
  sendTemplate,
  type Tenant,
  textTo,
  until,
  untilStatus,
} from '../../harness/tenant.ts';
import {
  freshWamid,
  inboundText,
  nowSeconds,
  payloadOf,
  postChange,
  postWebhook,
  statusOf,
} from '../../harness/upstream-webhook.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { createWebhook } from '../webhooks/webhook-endpoint.ts';

describe('messages that came about outside of the gateway', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  let other: Tenant;
  before(async () => {
    gateway = await startGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
    tenant = await createTenant(gateway);
    other = await createTenant(gateway);
    gateway.simulator.world.setWebhookUrl(null);
  });
  after(() => gateway.stop());

  const report = async (field: string, value: object, owner = tenant) => {
    const metadata = { display_phone_number: owner.phoneNumber, phone_number_id: owner.phoneNumberId };
    const change = { field, value: { messaging_product: 'whatsapp', metadata, ...value } };
    assert.equal((await postWebhook(gateway, payloadOf(owner, change))).status, 200);
  };
  const listed = async (wamid: string, owner = tenant): Promise<Answer['json'] | undefined> =>
    (await call(gateway, owner, 'GET', `/v1/messages?message_id=${encodeURIComponent(wamid)}`)).json.data[0];
  const person = () => freshRecipient().slice(1);
  const echoTo = (to: string, extra: object = {}) => ({
    ...{ from: tenant.phoneNumber, to, id: freshWamid(), timestamp: String(nowSeconds()) },
    ...{ type: 'text', text: { body: 'Typed on the phone' } },
    ...extra,
  });
  const usageOf = (owner = tenant) => admin(gateway, 'GET', `/organizations/${owner.organizationId}/usage`);

  it('an echo of the app → a sent message and an event; its statuses → its own, and no usage', async () => {
    const usage = await usageOf();
    const cursor = await currentCursor(gateway, tenant);
    const echo = echoTo(person());
    await report('smb_message_echoes', { message_echoes: [echo] });
    const message = await listed(echo.id);
    assert.partialDeepStrictEqual(message, {
      ...{ origin: 'app', direction: 'outbound', status: 'sent', message_type: 'text' },
      ...{ recipient_phone: echo.to, sender_phone: tenant.phoneNumber, content: { to: echo.to, text: echo.text } },
    });
    assert.equal(await listed(echo.id, other), undefined);
    const pricing = { billable: false, pricing_model: 'PMP', type: 'regular', category: 'service' };
    for (const word of ['sent', 'delivered', 'delivered', 'read']) {
      await postChange(gateway, tenant, { statuses: [statusOf(echo.id, word, nowSeconds(), { pricing })] });
    }
    const failing = echoTo(person());
    await report('smb_message_echoes', { message_echoes: [failing] });
    const errors = [{ code: 131026, title: 'Message undeliverable' }];
    await postChange(gateway, tenant, { statuses: [statusOf(failing.id, 'failed', nowSeconds(), { errors })] });
    assert.equal((await listed(echo.id))?.status, 'read');
    assert.partialDeepStrictEqual(await listed(failing.id), { status: 'failed', error_code: '131026' });
    const events = await pullAll(gateway, tenant, cursor);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.message_id === echo.id, data.sequence, data.origin]),
      [
        ['message.echoed', true, 1, 'app'],
        ['message.sent', true, 2, 'app'],
        ['message.delivered', true, 3, 'app'],
        ['message.read', true, 4, 'app'],
        ['message.echoed', false, 1, 'app'],
        ['message.failed', false, 2, 'app'],
      ],
    );
    assert.deepEqual(events[0].data.message, echo);
    assert.equal(events[1].data.value.statuses[0].id, echo.id);
    assert.deepEqual(await usageOf(), usage);
    const timeline = await call(gateway, tenant, 'GET', `/v1/messages/${message?.id}/timeline`);
    assert.deepEqual(
      timeline.json.data.map(({ what }: Answer['json']) => what),
      ['echoed', 'sent', 'delivered', 'read'],
    );
  });

  it('statuses before their echo → applied once it is reported', async () => {
    const echo = echoTo(person());
    await postChange(gateway, tenant, { statuses: [statusOf(echo.id, 'delivered', nowSeconds())] });
    await report('smb_message_echoes', { message_echoes: [echo] });
    await until('it is delivered', async () => (await listed(echo.id))?.status === 'delivered' || undefined);
  });

  it('an echo reported twice, or of a known send → one message, no second event', async () => {
    const to = freshRecipient();
    const id = await sendTemplate(gateway, tenant, to);
    const { message_id: wamid } = await untilStatus(gateway, tenant, id, 'sent');
    const cursor = await currentCursor(gateway, tenant);
    const echo = echoTo(person());
    await report('smb_message_echoes', { message_echoes: [echo, echoTo(to.slice(1), { id: wamid })] });
    await report('smb_message_echoes', { message_echoes: [echo], again: true });
    const events = (await pullAll(gateway, tenant, cursor)).map(({ type, data }) => [type, data.message_id]);
    assert.deepEqual(events.slice(0, 1), [['message.echoed', echo.id]]);
    assert.deepEqual(
      events.slice(1).map(([type]) => type),
      ['upstream.other'],
    );
    assert.equal((await listed(wamid))?.id, id);
  });

  it('an echo while a send to the same person waits → stored, and the send keeps its statuses', async () => {
    const to = freshRecipient();
    await pause(gateway, tenant);
    const id = await sendTemplate(gateway, tenant, to);
    const echo = echoTo(to.slice(1));
    await report('message_echoes', { message_echoes: [echo] });
    await resume(gateway, tenant);
    await untilStatus(gateway, tenant, id, 'sent');
    const list = await call(gateway, tenant, 'GET', `/v1/messages?recipient=${to.slice(1)}`);
    assert.deepEqual(
      list.json.data.map(({ origin, status }: Answer['json']) => [origin, status]),
      [
        ['agent', 'sent'],
        ['api', 'sent'],
      ],
    );
  });

  it('a message in standby → received as `agent`, opens the window, its file can be fetched', async () => {
    const from = person();
    const image = { id: `90${nowSeconds()}1`, mime_type: 'image/jpeg', sha256: 'x' };
    const message = inboundText(from, nowSeconds(), { type: 'image', image });
    const contact = { profile: { name: 'Ada' }, wa_id: from };
    const cursor = await currentCursor(gateway, tenant);
    await report('standby', { standby: { contacts: [contact], messages: [message] } });
    assert.partialDeepStrictEqual(await listed(String(message.id)), {
      ...{ origin: 'agent', direction: 'inbound', status: 'received', sender_phone: from },
    });
    const [event, ...more] = await pullAll(gateway, tenant, cursor);
    assert.deepEqual(more, []);
    assert.equal(event.type, 'message.standby');
    assert.partialDeepStrictEqual(event.data, { origin: 'agent', status: 'received', message, contact });
    assert.ok(event.data.window_expires_at);
    assert.equal((await send(gateway, tenant, textTo(`+${from}`))).status, 202);
    const known = await gateway.app.db.query({ text: 'SELECT FROM media WHERE media_id = $1', values: [image.id] });
    assert.equal(known.length, 1);
  });

  it('an echo in standby has the body of a send → its contents; its status → its own', async () => {
    const to = person();
    const image = { id: `90${nowSeconds()}2` };
    const body = { messaging_product: 'whatsapp', to: `+${to}`, type: 'image', image };
    const echo = { id: freshWamid(), timestamp: String(nowSeconds()), message: body };
    await report('standby', { standby: { message_echoes: [echo] } });
    await report('standby', { standby: { statuses: [statusOf(echo.id, 'delivered', nowSeconds())] } });
    assert.partialDeepStrictEqual(await listed(echo.id), {
      ...{ origin: 'agent', direction: 'outbound', status: 'delivered', message_type: 'image' },
      ...{ recipient_phone: to, content: { to: `+${to}`, image } },
    });
    assert.equal((await send(gateway, tenant, textTo(`+${to}`))).status, 403);
    const known = await gateway.app.db.query({ text: 'SELECT FROM media WHERE media_id = $1', values: [image.id] });
    assert.equal(known.length, 1);
  });

  it('a chunk of history → messages of the past, one event for the chunk, no window', async () => {
    const [from, at] = [person(), nowSeconds() - 3_600];
    const past = <Extra extends object>(extra: Extra) => ({
      id: freshWamid(),
      timestamp: String(at),
      type: 'text',
      text: { body: 'x' },
      ...extra,
    });
    const theirs = past({ from, history_context: { status: 'READ' } });
    const ours = past({ from: tenant.phoneNumber, to: from, history_context: { status: 'READ' } });
    const file = past({ from, type: 'image', image: { id: `90${nowSeconds()}3` } });
    const threads = [{ id: from, messages: [theirs, ours] }];
    const cursor = await currentCursor(gateway, tenant);
    await report('history', { history: [{ metadata: { phase: 0, chunk_order: 1, progress: 55 }, threads }] });
    await report('history', { messages: [file], contacts: [] });
    const sentAt = new Date(at * 1000).toISOString();
    const common = { origin: 'history', sent_at: sentAt };
    assert.partialDeepStrictEqual(await listed(theirs.id), { ...common, direction: 'inbound', status: 'received' });
    const sent = { direction: 'outbound', status: 'read', recipient_phone: from };
    assert.partialDeepStrictEqual(await listed(ours.id), { ...common, ...sent });
    assert.partialDeepStrictEqual(await listed(file.id), { ...common, direction: 'inbound', sender_phone: from });
    const events = await pullAll(gateway, tenant, cursor);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.field]),
      [
        ['upstream.other', 'history'],
        ['upstream.other', 'history'],
      ],
    );
    assert.equal((await send(gateway, tenant, textTo(`+${from}`))).status, 403);
    const known = await gateway.app.db.query({
      text: 'SELECT FROM media WHERE media_id = $1',
      values: [file.image.id],
    });
    assert.equal(known.length, 1);
  });

  it('endpoint in the format of the platform → its own fields, numbers with plus if asked', async () => {
    const own = await createTenant(gateway);
    await using receiver = await startReceiver();
    const format = { format: 'cloud_api', phone_numbers: 'e164' };
    await createWebhook(gateway, own, { url: receiver.url, ...format, events: ['message.standby', 'message.echoed'] });
    const from = person();
    const contact = { profile: { name: 'Ada' }, wa_id: from };
    const message = inboundText(from, nowSeconds());
    const agent = {
      id: freshWamid(),
      timestamp: '1790000000',
      message: { to: from, type: 'text', text: { body: 'x' } },
    };
    const app = { ...echoTo(from), from: own.phoneNumber };
    await report('standby', { standby: { contacts: [contact], messages: [message], message_echoes: [agent] } }, own);
    await report('smb_message_echoes', { message_echoes: [app] }, own);
    await until('all are delivered', () => receiver.received.length === 3 || undefined);
    const changes = receiver.received.map(({ json }) => json.entry[0].changes[0]);
    const plus = `+${from}`;
    const of = (field: string, list: (value: Answer['json']) => unknown) =>
      changes.filter((change) => change.field === field && list(change.value)).map(({ value }) => list(value));
    assert.deepEqual(
      of('standby', ({ standby }) => standby.messages),
      [[{ ...message, from: plus }]],
    );
    assert.deepEqual(
      of('standby', ({ standby }) => standby.contacts),
      [[{ ...contact, wa_id: plus }]],
    );
    assert.deepEqual(
      of('standby', ({ standby }) => standby.message_echoes),
      [[{ ...agent, message: { ...agent.message, to: plus } }]],
    );
    assert.deepEqual(
      of('smb_message_echoes', (value) => value.message_echoes),
      [[{ ...app, to: plus }]],
    );
    for (const { value } of changes) assert.equal(value.metadata.phone_number_id, own.phoneNumberId);
  });

  it('a status of a message that was sent elsewhere → passed on once; of a send in flight → not', async () => {
    const errors = [{ code: 131026, title: 'Message undeliverable' }];
    const [stranger, waiting] = [person(), freshRecipient()];
    const failed = statusOf(freshWamid(), 'failed', nowSeconds(), { recipient_id: stranger, errors });
    await pause(gateway, tenant);
    const id = await sendTemplate(gateway, tenant, waiting);
    const early = statusOf(freshWamid(), 'sent', nowSeconds(), { recipient_id: waiting.slice(1) });
    const cursor = await currentCursor(gateway, tenant);
    await postChange(gateway, tenant, { statuses: [failed, early] });
    await postChange(gateway, tenant, { statuses: [failed], again: true });
    const told = (await pullAll(gateway, tenant, cursor)).filter(({ data }) => data.value.statuses);
    assert.deepEqual(
      told.map(({ type, data }) => [type, data.phone_number_id, data.field, data.value.statuses]),
      [['upstream.other', tenant.phoneNumberId, 'messages', [failed]]],
    );
    assert.equal(told[0].data.value.metadata.phone_number_id, tenant.phoneNumberId);
    assert.deepEqual(await pullAll(gateway, other), []);
    await resume(gateway, tenant);
    await untilStatus(gateway, tenant, id, 'sent');
  });

  it('unreadable items beside readable ones → passed on unchanged', async () => {
    const cursor = await currentCursor(gateway, tenant);
    const left = { message_echoes: [{ to: '12025550123' }, 'x'], messages: [{ type: 'text' }] };
    const echo = { id: freshWamid(), timestamp: '1790000000', message: { to: person(), type: 'text' } };
    const standby = { ...left, message_echoes: [...left.message_echoes, echo] };
    await report('standby', { standby, novelty: 1 });
    const events = await pullAll(gateway, tenant, cursor);
    const other = events.find(({ type }) => type === 'upstream.other');
    assert.deepEqual(other?.data.value.standby, left);
    assert.equal(other?.data.value.novelty, 1);
    assert.deepEqual(events.map(({ type }) => type).toSorted(), ['message.echoed', 'upstream.other']);
  });
});
