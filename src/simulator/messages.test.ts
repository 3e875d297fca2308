import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { statusesIn } from '../../test/support/simulator/callback-receiver.ts';
import {
  NUMBER,
  OTHER_NUMBER,
  OTHER_TOKEN,
  startTestSimulator,
  template,
  text,
  USER,
} from '../../test/support/simulator/test-simulator.ts';

const statusOf = (name: string) => (webhook: { payload: Record<string, unknown> }) =>
  statusesIn(webhook.payload).some((status) => status.status === name);

test('text inside the window: accepted, reported sent, delivered and read', async (t) => {
  const { world, receiver, send } = await startTestSimulator(t);
  await world.inbound({ phoneNumberId: NUMBER, from: USER });
  const answer = await send({ ...text(), biz_opaque_callback_data: 'mine' });
  assert.equal(answer.status, 200);
  const [message] = answer.body.messages as { id: string }[];
  assert.deepEqual(answer.body, {
    messaging_product: 'whatsapp',
    contacts: [{ input: `+${USER}`, wa_id: USER }],
    messages: [{ id: message?.id }],
  });
  assert.match(message?.id ?? '', /^wamid\.[A-Za-z0-9+/=]{30,}$/);
  const read = await receiver.waitFor(statusOf('read'));
  await world.whenQuiet();
  const statuses = receiver.received.flatMap(({ payload }) => statusesIn(payload));
  assert.deepEqual(new Set(statuses.map(({ status }) => status)), new Set(['sent', 'delivered', 'read']));
  for (const status of statuses) {
    assert.equal(status.id, message?.id);
    assert.equal(status.recipient_id, USER);
    assert.equal(status.biz_opaque_callback_data, 'mine');
    assert.match(String(status.timestamp), /^\d{10}$/);
    assert.equal(status.conversation, undefined);
  }
  assert.equal(statusesIn(read.payload)[0]?.pricing, undefined);
  assert.deepEqual(statuses.find(({ status }) => status === 'sent')?.pricing, {
    billable: false,
    pricing_model: 'PMP',
    type: 'free_customer_service',
    category: 'service',
  });
  assert.ok(receiver.received.every(({ isSigned }) => isSigned));
});

test('free-form message outside the window: accepted, then fails with 131047', async (t) => {
  const { receiver, send } = await startTestSimulator(t);
  assert.equal((await send(text())).status, 200);
  const { payload } = await receiver.waitFor(statusOf('failed'));
  const [error] = (statusesIn(payload)[0]?.errors ?? []) as { code: number; title: string; message: string }[];
  assert.equal(error?.code, 131047);
  assert.equal(error?.title, error?.message);
});

test('template: needs no window, answered with its status', async (t) => {
  const { receiver, send } = await startTestSimulator(t);
  const answer = await send(template('hello'));
  assert.equal(answer.status, 200);
  assert.equal((answer.body.messages as { message_status: string }[])[0]?.message_status, 'accepted');
  const { payload } = await receiver.waitFor(statusOf('sent'));
  assert.deepEqual(statusesIn(payload)[0]?.pricing, {
    billable: true,
    pricing_model: 'PMP',
    type: 'regular',
    category: 'utility',
  });
});

test('reaction: reported only as sent', async (t) => {
  const { world, receiver, send } = await startTestSimulator(t);
  const { wamid } = await world.inbound({ phoneNumberId: NUMBER, from: USER });
  assert.equal((await send({ type: 'reaction', reaction: { message_id: wamid, emoji: '👍' } })).status, 200);
  await world.whenQuiet();
  const statuses = receiver.received.flatMap(({ payload }) => statusesIn(payload));
  assert.deepEqual(
    statuses.map(({ status }) => status),
    ['sent'],
  );
});

test('Brazilian and Mexican recipients: answered with the platform’s wa_id', async (t) => {
  const { send } = await startTestSimulator(t);
  const contactOf = async (to: string) =>
    ((await send({ ...template('hello'), to })).body.contacts as { input: string; wa_id: string }[])[0];
  assert.deepEqual(await contactOf('+55 (11) 98765-4321'), { input: '+55 (11) 98765-4321', wa_id: '551187654321' });
  assert.deepEqual(await contactOf('+525512345678'), { input: '+525512345678', wa_id: '5215512345678' });
});

test('unregistered number: send → 133010', async (t) => {
  const { world, send } = await startTestSimulator(t);
  world.updateNumber(NUMBER, { platformType: 'NOT_APPLICABLE' });
  assert.equal((await send(template('hello'))).error.code, 133010);
  world.updateNumber(NUMBER, { platformType: 'CLOUD_API', status: 'DISCONNECTED' });
  assert.equal((await send(template('hello'))).error.code, 133010);
});

test('token: other accounts look as if they did not exist', async (t) => {
  const { call } = await startTestSimulator(t);
  const message = { messaging_product: 'whatsapp', to: `+${USER}`, ...text() };
  const withToken = (token: string, number: string) =>
    call('POST', `/${number}/messages`, message, { authorization: `Bearer ${token}` });
  const foreign = await withToken(OTHER_TOKEN, NUMBER);
  assert.equal(foreign.status, 400);
  assert.equal(foreign.error.type, 'GraphMethodException');
  assert.equal(foreign.error.code, 100);
  assert.equal(foreign.error.error_subcode, 33);
  const absent = await withToken(OTHER_TOKEN, '1');
  assert.equal(absent.error.error_subcode, 33);
  const unknownToken = await withToken('nobody', OTHER_NUMBER);
  assert.equal(unknownToken.status, 401);
  assert.equal(unknownToken.error.code, 190);
  assert.equal((await call('POST', `/${NUMBER}/messages`, message, { authorization: '' })).error.code, 104);
});

test('send to the number itself → 131021', async (t) => {
  const { send } = await startTestSimulator(t);
  assert.equal((await send({ ...template('hello'), to: '+1 (555) 078-3881' })).error.code, 131021);
});

test('mark-as-read: accepts only messages that the number received', async (t) => {
  const { world, call } = await startTestSimulator(t);
  const { wamid } = await world.inbound({ phoneNumberId: NUMBER, from: USER });
  const read = (messageId: string) =>
    call('POST', `/${NUMBER}/messages`, {
      messaging_product: 'whatsapp',
      status: 'read',
      message_id: messageId,
      typing_indicator: { type: 'text' },
    });
  assert.deepEqual((await read(wamid)).body, { success: true });
  assert.equal((await read('wamid.unknown')).error.code, 100);
  assert.equal(world.sends.list({ outcome: 'read' }).length, 1);
});

test('request log: exact bytes, headers and outcome of every request', async (t) => {
  const { world, call } = await startTestSimulator(t);
  const bytes = `{ "messaging_product":"whatsapp",  "to":"+${USER}","type":"text","text":{"body":"12345678901234567890"}, "x":1.0 }`;
  const waiting = world.sends.waitFor((record) => record.to === `+${USER}`);
  await call('POST', `/${NUMBER}/messages`, bytes, { 'x-trace': 'abc' });
  const record = await waiting;
  assert.equal(record.body.toString(), bytes);
  assert.equal(record.bodySha256, createHash('sha256').update(bytes).digest('hex'));
  assert.equal(record.headers['x-trace'], 'abc');
  assert.equal(record.outcome.kind, 'accepted');
  assert.equal(record.waId, USER);
  assert.ok(record.arrivedNs > 0n);
  await call('POST', `/${NUMBER}/messages`, 'not json');
  const refused = await world.sends.waitFor((candidate) => candidate.outcome.kind === 'rejected');
  assert.deepEqual(refused.outcome, { kind: 'rejected', httpStatus: 400, code: 100 });
  assert.deepEqual(
    world.sends.list({ after: record.sequence }).map(({ sequence }) => sequence),
    [refused.sequence],
  );
});

test('request log: keeps no more memory than its bytes', async (t) => {
  const { world, send } = await startTestSimulator(t);
  await send(template('hello'));
  await world.whenQuiet();
  const kept = [...world.sends.list(), ...world.deliveries()].map(({ body }) => body);
  assert.ok(kept.length >= 2);
  for (const body of kept) assert.equal(body.buffer.byteLength, body.length);
});

test('request log: large sends → bounded by their bytes', async (t) => {
  const { world, call } = await startTestSimulator(t);
  const large = 'x'.repeat(1024 * 1024);
  for (let index = 0; index < 70; index += 1) await call('POST', `/${NUMBER}/messages`, large);
  const kept = world.sends.list();
  assert.ok(kept.length >= 32 && kept.length <= 64, `${kept.length} kept`);
  assert.equal(kept.at(-1)?.sequence, 70);
});

test('request log: bounded number of records', async (t) => {
  const { world, send } = await startTestSimulator(t, { sendLog: { recordsMax: 3 } });
  for (let index = 0; index < 8; index += 1) await send(template('hello'));
  assert.equal(world.sends.total, 8);
  assert.deepEqual(
    world.sends.list().map(({ sequence }) => sequence),
    [6, 7, 8],
  );
});

test('version prefix: any or none → same call', async (t) => {
  const { simulator } = await startTestSimulator(t);
  for (const prefix of ['', '/v19.0', '/v24.0', '/v31.5']) {
    const response = await fetch(`${simulator.origin}${prefix}/${NUMBER}?access_token=token-of-the-first-account`);
    assert.equal(response.status, 200, prefix);
    assert.equal(response.headers.get('facebook-api-version'), prefix === '' ? 'v24.0' : prefix.slice(1));
  }
});
