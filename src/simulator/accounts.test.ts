import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import {
  APP_ID,
  APP_SECRET,
  NUMBER,
  OTHER_WABA,
  startTestSimulator,
  TOKEN,
  WABA,
} from '../../test/support/simulator/test-simulator.ts';
import type { JsonObject } from './graph/json-object.ts';

test('number: status shown only if requested by name', async (t) => {
  const { call } = await startTestSimulator(t);
  const [listed] = (await call('GET', `/${WABA}/phone_numbers`)).body.data as JsonObject[];
  assert.deepEqual(Object.keys(listed ?? {}).toSorted(), [
    'code_verification_status',
    'display_phone_number',
    'id',
    'platform_type',
    'quality_rating',
    'throughput',
    'verified_name',
    'webhook_configuration',
  ]);
  const asked = await call('GET', `/${WABA}/phone_numbers?fields=status,throughput{level},id`);
  assert.deepEqual(asked.body.data, [{ status: 'CONNECTED', throughput: { level: 'STANDARD' }, id: NUMBER }]);
  assert.deepEqual((await call('GET', `/${NUMBER}?fields=status`)).body, { status: 'CONNECTED', id: NUMBER });
});

test('message webhooks: number before account before app; other fields → the app', async (t) => {
  const { world, call } = await startTestSimulator(t);
  const app = world.settings.webhookUrl;
  const configured = async () =>
    ((await call('GET', `/${NUMBER}?fields=webhook_configuration`)).body.webhook_configuration ?? {}) as JsonObject;
  const announced = async (field: string) => {
    const value = { metadata: { phone_number_id: NUMBER } };
    return (await world.announce(WABA, field, value))?.url.replace(/^.*[/]/, '/');
  };
  const override = (uri: string) =>
    call('POST', `/${NUMBER}`, { webhook_configuration: { override_callback_uri: uri, verify_token: 'v' } });
  assert.deepEqual(await configured(), { application: app });

  await call('POST', `/${WABA}/subscribed_apps`, { override_callback_uri: `${app}/of-account`, verify_token: 'v' });
  assert.equal(await announced('messages'), '/of-account');
  assert.equal((await override(`${app}/of-number`)).status, 200);
  assert.equal(await announced('messages'), '/of-number');
  assert.notEqual(await announced('account_update'), '/of-number');
  assert.deepEqual(await configured(), {
    phone_number: `${app}/of-number`,
    whatsapp_business_account: `${app}/of-account`,
    application: app,
  });

  assert.equal((await override('')).status, 200);
  await call('POST', `/${WABA}/subscribed_apps`, {});
  assert.deepEqual(await configured(), { application: app });
  await call('DELETE', `/${WABA}/subscribed_apps`);
  assert.equal((await override(`${app}/of-number`)).error.code, 100);
});

test('paging: following `next` reads every number exactly once', async (t) => {
  const { world, call, simulator } = await startTestSimulator(t);
  for (let index = 2; index <= 7; index += 1) {
    world.addNumber(WABA, { id: `10600000000100${index}`, displayPhoneNumber: `+1 555 078 000${index}` });
  }
  const seen: string[] = [];
  let path: string | undefined = `/${WABA}/phone_numbers?fields=id&limit=3`;
  while (path !== undefined) {
    const { body } = await call('GET', path);
    seen.push(...(body.data as { id: string }[]).map(({ id }) => id));
    const next = (body.paging as { next?: string } | undefined)?.next;
    assert.ok(next === undefined || next.startsWith(`${simulator.baseUrl}/${WABA}/phone_numbers?`));
    path = next?.slice(simulator.baseUrl.length);
  }
  assert.deepEqual(
    seen,
    world.accounts.listNumbers(WABA).map(({ id }) => id),
  );
  assert.equal((await call('GET', `/${WABA}/phone_numbers?after=nonsense`)).error.code, 100);
});

test('token rotated: new one works, old one → 190', async (t) => {
  const { world, call } = await startTestSimulator(t);
  world.rotateToken(WABA, 'the-next-token');
  assert.equal((await call('GET', `/${WABA}`)).error.code, 190);
  assert.equal((await call('GET', `/${WABA}`, undefined, { authorization: 'Bearer the-next-token' })).status, 200);
});

test('account of another token → invisible', async (t) => {
  const { call } = await startTestSimulator(t);
  for (const path of [`/${OTHER_WABA}`, `/${OTHER_WABA}/phone_numbers`, `/${OTHER_WABA}/message_templates`]) {
    const answer = await call('GET', path);
    assert.deepEqual([answer.status, answer.error.code, answer.error.error_subcode], [400, 100, 33], path);
  }
});

test('subscriptions: created, listed and removed', async (t) => {
  const { call } = await startTestSimulator(t);
  const list = async () => ((await call('GET', `/${WABA}/subscribed_apps`)).body.data as JsonObject[]).length;
  assert.deepEqual((await call('DELETE', `/${WABA}/subscribed_apps`)).body, { success: true });
  assert.equal(await list(), 0);
  assert.deepEqual((await call('POST', `/${WABA}/subscribed_apps`)).body, { success: true });
  assert.equal(await list(), 1);
});

test('registered number can send, deregistered one cannot', async (t) => {
  const { call } = await startTestSimulator(t);
  const platformType = async () => (await call('GET', `/${NUMBER}?fields=platform_type`)).body.platform_type;
  await call('POST', `/${NUMBER}/deregister`);
  assert.equal(await platformType(), 'NOT_APPLICABLE');
  await call('POST', `/${NUMBER}/register`, { messaging_product: 'whatsapp', pin: '123456' });
  assert.equal(await platformType(), 'CLOUD_API');
});

test('debug_token: names the app and the accounts of a token', async (t) => {
  const { call } = await startTestSimulator(t);
  const inspect = (input: string) =>
    call('GET', `/debug_token?input_token=${input}`, undefined, { authorization: `Bearer ${APP_ID}|${APP_SECRET}` });
  const data = (await inspect(TOKEN)).body.data as JsonObject;
  assert.deepEqual([data.app_id, data.is_valid], [APP_ID, true]);
  assert.deepEqual((data.granular_scopes as { target_ids: string[] }[])[0]?.target_ids, [WABA]);
  assert.equal(((await inspect('nobody')).body.data as JsonObject).is_valid, false);
});

test('management calls: usage reported in the headers', async (t) => {
  const { call } = await startTestSimulator(t);
  const { headers } = await call('GET', `/${WABA}/message_templates`);
  const usage = JSON.parse(headers.get('x-business-use-case-usage') ?? '{}') as Record<string, JsonObject[]>;
  assert.equal(usage[WABA]?.[0]?.type, 'whatsapp_business_management');
  assert.ok(headers.get('x-app-usage'));
  assert.ok(headers.get('x-fb-trace-id'));
});

test('appsecret_proof: wrong → refused, right → accepted', async (t) => {
  const { call } = await startTestSimulator(t);
  const proof = createHmac('sha256', APP_SECRET).update(TOKEN).digest('hex');
  assert.equal((await call('GET', `/${WABA}?appsecret_proof=${proof}`)).status, 200);
  assert.equal((await call('GET', `/${WABA}?appsecret_proof=00`)).error.code, 100);
});

test('unknown path → code 2500', async (t) => {
  const { call } = await startTestSimulator(t);
  assert.equal((await call('POST', `/${WABA}/nonsense`, {})).error.code, 2500);
});
