import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../test/harness/manual-clock.ts';
import { messagesIn, statusesIn, valuesIn } from '../../test/support/simulator/callback-receiver.ts';
import { NUMBER, startTestSimulator, template, text, USER, WABA } from '../../test/support/simulator/test-simulator.ts';
import { asObject } from './graph/json-object.ts';

test('inbound message of every type: posted, signed, resolves once answered', async (t) => {
  const { world, receiver } = await startTestSimulator(t);
  for (const type of [
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
  ]) {
    receiver.received.length = 0;
    const { wamid, delivery } = await world.inbound({ phoneNumberId: NUMBER, from: `+${USER}`, type });
    assert.equal(delivery?.outcome, 'delivered', type);
    const [webhook] = receiver.received;
    assert.ok(webhook?.isSigned, type);
    const [message] = messagesIn(webhook.payload);
    assert.deepEqual([message?.id, message?.type, message?.from], [wamid, type, USER]);
    assert.ok(message?.[type], type);
    assert.deepEqual(valuesIn(webhook.payload)[0]?.metadata, {
      display_phone_number: '15550783881',
      phone_number_id: NUMBER,
    });
  }
});

test('inbound media: looked up and downloaded with its account’s token', async (t) => {
  const { world, receiver, call } = await startTestSimulator(t);
  const bytes = Buffer.from('a photo');
  await world.inbound({ phoneNumberId: NUMBER, from: USER, type: 'image', media: { bytes, mimeType: 'image/png' } });
  const image = messagesIn(receiver.received[0]?.payload ?? {})[0]?.image as { id: string; url: string };
  const node = await call('GET', `/${image.id}`);
  assert.equal(node.body.mime_type, 'image/png');
  const download = (url: string, authorization: string) => fetch(url, { headers: { authorization } });
  const allowed = await download(image.url, 'Bearer token-of-the-first-account');
  assert.equal(Buffer.from(await allowed.arrayBuffer()).toString(), 'a photo');
  assert.equal((await download(image.url, 'Bearer token-of-the-second-account')).status, 404);
  assert.equal((await download(image.url, '')).status, 401);
});

test('window: opened for a day by a message, not by a system message', async (t) => {
  const { world, receiver, send } = await startTestSimulator(t);
  const failures = () => receiver.received.flatMap(({ payload }) => statusesIn(payload)).filter(({ errors }) => errors);
  await world.inbound({ phoneNumberId: NUMBER, from: USER, type: 'system' });
  await send(text());
  await world.whenQuiet();
  assert.equal(failures().length, 1);
  await world.inbound({ phoneNumberId: NUMBER, from: USER, at: Date.now() - 25 * 3_600_000 });
  await send(text());
  await world.whenQuiet();
  assert.equal(failures().length, 2);
  await world.inbound({ phoneNumberId: NUMBER, from: USER });
  await send(text());
  await world.whenQuiet();
  assert.equal(failures().length, 2);
});

test('answer to an ad: free, with its end time', async (t) => {
  const { world, receiver, send } = await startTestSimulator(t);
  await world.inbound({ phoneNumberId: NUMBER, from: USER, referral: { source_type: 'ad', source_id: '1' } });
  await send(text());
  const { payload } = await receiver.waitFor(({ payload }) =>
    statusesIn(payload).some(({ status }) => status === 'sent'),
  );
  const [status] = statusesIn(payload);
  assert.equal(asObject(status?.pricing)?.type, 'free_entry_point');
  const conversation = asObject(status?.conversation);
  assert.deepEqual(conversation?.origin, { type: 'referral_conversion' });
  assert.ok(Number(conversation?.expiration_timestamp) > Date.now() / 1000 + 71 * 3600);
});

test('old payload version: a conversation with every message', async (t) => {
  const { receiver, send } = await startTestSimulator(t, { webhookVersion: 'v23' });
  await send(template('hello'));
  const { payload } = await receiver.waitFor(({ payload }) =>
    statusesIn(payload).some(({ status }) => status === 'sent'),
  );
  assert.deepEqual(asObject(statusesIn(payload)[0]?.conversation)?.origin, { type: 'utility' });
});

test('webhook not answered 200: repeated with the same bytes until it is', async (t) => {
  const { world, receiver } = await startTestSimulator(t, { webhooks: { retryPausesMs: [0, 1, 1, 1] } });
  receiver.answers.push(500, 404, 204);
  const { delivery } = await world.inbound({ phoneNumberId: NUMBER, from: USER });
  assert.equal(delivery?.attempts, 4);
  assert.ok(receiver.received.every(({ raw }) => raw.equals(receiver.received[0]?.raw ?? Buffer.alloc(0))));
});

test('webhook never answered 200 → given up', async (t) => {
  const { world, receiver } = await startTestSimulator(t, { webhooks: { retryPausesMs: [0, 1] } });
  receiver.answers.push(500, 500, 500);
  await assert.rejects(world.inbound({ phoneNumberId: NUMBER, from: USER }), /given up after 3 attempts/);
});

test('reset: drops webhooks that wait for a retry', async (t) => {
  const { world, receiver } = await startTestSimulator(t, { webhooks: { retryPausesMs: [600_000] } });
  receiver.answers.push(500);
  const posting = world.postWebhook({ object: 'whatsapp_business_account', entry: [] });
  await receiver.waitFor(({ isSigned }) => isSigned);
  await world.reset();
  assert.equal((await posting).outcome, 'given_up');
  await world.whenQuiet();
  assert.equal(receiver.received.length, 1);
});

test('batched statuses: one POST, one entry per account, one change per number', async (t) => {
  const clock = createManualClock();
  const { world, receiver, send } = await startTestSimulator(t, { clock, webhooks: { batchWindowMs: 50 } });
  await Promise.all([1, 2, 3, 4, 5].map((digit) => send({ ...template('hello'), to: `+1650555123${digit}` })));
  clock.advance(60);
  await world.whenQuiet();
  const [batch, ...others] = receiver.received;
  assert.equal(others.length, 0);
  assert.ok(batch?.isSigned);
  assert.equal(statusesIn(batch.payload).length, 15);
  const entries = batch.payload.entry as { id: string; changes: unknown[] }[];
  assert.deepEqual(
    entries.map(({ id, changes }) => [id, changes.length]),
    [[WABA, 1]],
  );
});

test('account without a subscription → no webhooks', async (t) => {
  const { world, receiver, call } = await startTestSimulator(t);
  await call('DELETE', `/${WABA}/subscribed_apps`);
  assert.equal((await world.inbound({ phoneNumberId: NUMBER, from: USER })).delivery, null);
  assert.deepEqual((await call('POST', `/${WABA}/subscribed_apps`)).body, { success: true });
  assert.equal((await world.inbound({ phoneNumberId: NUMBER, from: USER })).delivery?.outcome, 'delivered');
  assert.equal(receiver.received.length, 1);
});

test('any payload: posted with a valid, a wrong or no signature', async (t) => {
  const { world, receiver } = await startTestSimulator(t);
  const payload = { object: 'whatsapp_business_account', entry: [], note: 'ä/ö' };
  assert.equal((await world.postWebhook(payload)).httpStatus, 200);
  assert.equal((await world.postWebhook(payload, { signature: 'wrong', once: true })).httpStatus, 401);
  assert.equal((await world.postWebhook(payload, { signature: 'missing', once: true })).httpStatus, 401);
  assert.deepEqual(receiver.received[0]?.payload, payload);
});

test('handshake: passes only with the right verify token', async (t) => {
  const { world } = await startTestSimulator(t);
  assert.equal(await world.verifyCallback(), true);
  const stranger = await startTestSimulator(t, { verifyToken: 'another' });
  assert.equal(await stranger.world.verifyCallback(), false);
});
