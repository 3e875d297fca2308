import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { messagesIn } from '../../test/support/simulator/callback-receiver.ts';
import {
  type GraphAnswer,
  NUMBER,
  readAnswer,
  startTestSimulator,
  TOKEN,
  template,
  USER,
  WABA,
} from '../../test/support/simulator/test-simulator.ts';
import { runSimulatorCommand } from './control/run-simulator-command.ts';
import type { JsonObject } from './graph/json-object.ts';

async function startControlled(context: TestContext) {
  const sim = await startTestSimulator(context);
  const control = async (method: string, path: string, body?: unknown): Promise<GraphAnswer> =>
    readAnswer(
      await fetch(`${sim.simulator.origin}/_sim${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  return { ...sim, control };
}

test('whole world created over HTTP → usable immediately', async (t) => {
  const { control, call } = await startControlled(t);
  const made = await control('POST', '/wabas', {
    waba_id: '103',
    access_token: TOKEN,
    name: 'Shop',
    numbers: [
      { id: '104', display_phone_number: '+49 30 1234567', throughput: { level: 'HIGH' }, account_mode: 'SANDBOX' },
    ],
    templates: [{ name: 'greeting', language: 'de', components: [{ type: 'BODY', text: 'Hallo.' }] }],
  });
  assert.deepEqual(made.body.numbers, ['104']);
  assert.deepEqual((await call('GET', '/104?fields=throughput,account_mode,status')).body, {
    throughput: { level: 'HIGH' },
    account_mode: 'SANDBOX',
    status: 'CONNECTED',
    id: '104',
  });
  await control('PATCH', '/numbers/104', { status: 'BANNED', messages_per_second: 5 });
  assert.equal((await call('GET', '/104?fields=status')).body.status, 'BANNED');
  assert.equal((await control('PATCH', '/numbers/1', {})).status, 400);
  assert.match(String((await control('POST', '/wabas', { waba_id: '1' })).body.error), /access_token/);
});

test('sends, violations and deliveries: readable over HTTP', async (t) => {
  const { control, send, call } = await startControlled(t);
  await control('PATCH', `/numbers/${NUMBER}`, { messages_per_second: 1 });
  await send(template('hello'));
  await send({ ...template('hello'), to: '+16505550000' });
  const sends = (await control('GET', `/sends?phone_number_id=${NUMBER}`)).body;
  const [first, second] = sends.data as JsonObject[];
  assert.equal(sends.total, 2);
  assert.equal((first?.outcome as JsonObject | undefined)?.kind, 'accepted');
  assert.deepEqual(second?.outcome, { kind: 'rejected', http_status: 400, code: 130429 });
  assert.equal((first?.headers as JsonObject | undefined)?.authorization, 'redacted');
  const bytes = Buffer.from(String(first?.body_base64), 'base64').toString();
  assert.equal((JSON.parse(bytes) as JsonObject).to, `+${USER}`);
  assert.equal(((await control('GET', `/sends?to=${USER}`)).body.data as unknown[]).length, 1);
  assert.equal(((await control('GET', `/sends?after=${String(first?.sequence)}`)).body.data as unknown[]).length, 1);
  assert.deepEqual((await control('GET', '/violations')).body.counts, { throughput: 1, pair: 0 });
  await control('GET', '/quiet');
  assert.equal(((await control('GET', '/deliveries')).body.data as unknown[]).length, 3);
  assert.equal((await call('GET', `/${WABA}`)).status, 200);
});

test('inbound message over HTTP: answered once its webhook was answered', async (t) => {
  const { control, receiver } = await startControlled(t);
  const { body } = await control('POST', '/inbound', {
    phone_number_id: NUMBER,
    from: USER,
    text: 'Hi',
    profile_name: 'Ada',
  });
  const [message] = messagesIn(receiver.received[0]?.payload ?? {});
  assert.deepEqual([message?.id, message?.text], [body.wamid, { body: 'Hi' }]);
  const location = { latitude: 1, longitude: 2 };
  await control('POST', '/inbound', { phone_number_id: NUMBER, from: USER, type: 'location', location });
  assert.deepEqual(messagesIn(receiver.received[1]?.payload ?? {})[0]?.location, location);
  assert.equal((await control('POST', '/inbound', { phone_number_id: '1', from: USER })).status, 400);
});

test('raw webhook: answers with the receiver’s status', async (t) => {
  const { control, receiver } = await startControlled(t);
  const payload = { object: 'whatsapp_business_account', entry: [] };
  assert.equal((await control('POST', '/webhook', { payload })).body.status, 200);
  assert.equal((await control('POST', '/webhook', { payload, signature: 'wrong' })).body.status, 401);
  receiver.answers.push(503);
  assert.equal((await control('POST', '/webhook', { payload })).body.status, 503);
});

test('webhook URL: set only if its handshake passes', async (t) => {
  const { control, receiver, world } = await startControlled(t);
  world.setWebhookUrl(null);
  const { body } = await control('POST', '/webhook-url', { url: receiver.url, verify: true });
  assert.deepEqual(body, { url: receiver.url, verified: true });
  assert.equal((await world.inbound({ phoneNumberId: NUMBER, from: USER })).delivery?.httpStatus, 200);
});

test('faults: created, counted, listed and removed over HTTP', async (t) => {
  const { control, send } = await startControlled(t);
  const fault = { kind: 'error', code: 131031, scope: { phone_number_id: NUMBER, recipient: `+${USER}` }, times: 1 };
  const { body: rule } = await control('POST', '/faults', fault);
  assert.equal((await send(template('hello'))).error.code, 131031);
  assert.equal((await send(template('hello'))).status, 200);
  const [listed] = (await control('GET', '/faults')).body.data as JsonObject[];
  assert.deepEqual([listed?.id, listed?.hits, listed?.times_left], [rule.id, 1, 0]);
  await control('POST', '/faults', {
    kind: 'http',
    http_status: 502,
    content_type: 'text/html',
    body: '<html></html>',
  });
  const answer = await send(template('hello'));
  assert.deepEqual([answer.status, answer.text], [502, '<html></html>']);
  await control('DELETE', '/faults');
  assert.equal((await send(template('hello'))).status, 200);
  assert.equal((await control('POST', '/faults', { kind: 'earthquake' })).status, 400);
  assert.equal((await control('POST', '/faults', { kind: 'error' })).status, 400);
});

test('template reviews: decided by hand over HTTP', async (t) => {
  const { control, receiver } = await startControlled(t);
  const { id } = (await control('POST', `/wabas/${WABA}/templates`, { name: 'x', language: 'en', status: 'PENDING' }))
    .body;
  const { body } = await control('POST', `/templates/${String(id)}/status`, { status: 'APPROVED' });
  assert.equal((body.delivery as JsonObject).outcome, 'delivered');
  await control('POST', `/templates/${String(id)}/quality`, { score: 'YELLOW' });
  await control('POST', `/templates/${String(id)}/category`, { category: 'MARKETING' });
  assert.equal(receiver.received.length, 3);
});

test('template seeded without an id → same id each time', async (t) => {
  const { control } = await startControlled(t);
  const seed = {
    waba_id: '105',
    access_token: 'token',
    templates: [
      { name: 'a', language: 'de' },
      { name: 'b', language: 'de' },
    ],
  };
  const first = (await control('POST', '/wabas', seed)).body.templates as string[];
  assert.deepEqual((await control('POST', '/wabas', seed)).body.templates, first);
  assert.equal(new Set(first).size, 2);
});

test('windows and settings: changed over HTTP', async (t) => {
  const { control, send, world, receiver } = await startControlled(t);
  const failed = () => receiver.received.filter(({ raw }) => raw.includes('131047')).length;
  await control('POST', '/windows', { phone_number_id: NUMBER, user: USER });
  await send({ type: 'text', text: { body: 'x' } });
  await world.whenQuiet();
  assert.equal(failed(), 0);
  await control('POST', '/windows', { phone_number_id: NUMBER, user: USER, open: false });
  await send({ type: 'text', text: { body: 'x' } });
  await world.whenQuiet();
  assert.equal(failed(), 1);
  const { body } = await control('PATCH', '/settings', { service_window: 'off', status_latency_ms: { read: null } });
  assert.deepEqual(body.status_latency_ms, { sent: 1, delivered: 2, read: null });
  await send({ type: 'text', text: { body: 'x' } });
  await world.whenQuiet();
  assert.equal(failed(), 1);
});

test('reset: empty platform that still listens', async (t) => {
  const { control, send, call } = await startControlled(t);
  await send(template('hello'));
  await control('POST', '/reset');
  assert.equal((await control('GET', '/sends')).body.total, 0);
  assert.equal((await call('GET', `/${NUMBER}`)).error.code, 190);
  assert.equal((await control('GET', '/health')).body.status, 'ok');
});

test('command: runs until it is stopped', async () => {
  const stop = new AbortController();
  let listening: (line: string) => void = () => {};
  const printed = new Promise<string>((resolve) => {
    listening = resolve;
  });
  const running = runSimulatorCommand({}, listening, stop.signal);
  const address = /http:\/\/[\d.:]+\/v24\.0/.exec(await printed)?.[0] ?? '';
  assert.equal((await fetch(`${address}/1`)).status, 401);
  stop.abort();
  await running;
  await assert.rejects(fetch(address));
});
