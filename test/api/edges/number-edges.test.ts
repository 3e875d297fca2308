import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { pullAll } from '../../harness/events.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { call, type Tenant } from '../../harness/tenant.ts';

describe('calls about a number', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);
  const ask = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    as: Tenant = tenant,
  ) =>
    call(gateway, as, method, `/v24.0/${as.phoneNumberId}/${path}`, { headers, ...(body !== undefined && { body }) });

  it('a profile: written and read back, each tenant its own', async () => {
    const about = 'Open till six';
    assert.deepEqual((await ask('POST', 'whatsapp_business_profile', { messaging_product: 'whatsapp', about })).json, {
      success: true,
    });
    const read = await ask('GET', 'whatsapp_business_profile?fields=about,messaging_product,owner');
    assert.deepEqual(read.json, { data: [{ messaging_product: 'whatsapp', about }] });
    const theirs = await ask('GET', 'whatsapp_business_profile?fields=about', undefined, {}, other);
    assert.deepEqual(theirs.json, { data: [{}] });
  });

  it('a change: an event without the body', async () => {
    const event = (await pullAll(gateway, tenant)).find(({ type }) => type === 'configuration.changed');
    assert.deepEqual(event.data, {
      waba_id: tenant.wabaId,
      phone_number_id: tenant.phoneNumberId,
      operation: 'updateBusinessProfile',
      method: 'POST',
      edge: 'whatsapp_business_profile',
      object_kind: 'number',
      object_id: tenant.phoneNumberId,
    });
  });

  it('odd JSON: the same bytes and the same type at the platform', async () => {
    const odd =
      '{ "about" :\t"caf\\u00e9 \\ud83d\\ude00 é",\r\n"x":1E400, "big":12345678901234567890, "nested":{"method":[ ]} }';
    for (const type of ['application/json', 'application/json; charset=utf-8']) {
      await ask('POST', 'whatsapp_business_profile', odd, { 'content-type': type });
      const sent = gateway.simulator.world.calls
        .list()
        .findLast(({ url }) => url.includes('whatsapp_business_profile'));
      assert.equal(sent?.body.toString('utf8'), odd);
      assert.equal(sent?.contentType, type);
    }
    await ask('POST', 'whatsapp_business_profile', '{"about":"x"}', { 'content-type': 'text/plain' });
    assert.equal(gateway.simulator.world.calls.list().at(-1)?.contentType, 'application/json');
  });

  it('JSON under the type of a form, as curl sends it: read and forwarded as JSON', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const json = (about: string) => `\n{"messaging_product": "whatsapp", "about": "${about}"}`;
    assert.equal((await ask('POST', 'whatsapp_business_profile', json('By curl'), form)).status, 200);
    assert.equal(gateway.simulator.world.calls.list().at(-1)?.contentType, 'application/json');
    assert.equal((await ask('GET', 'whatsapp_business_profile?fields=about')).json.data[0].about, 'By curl');
    assertError(await ask('POST', 'settings', '{"payload_encryption": {}}', form), 400, 'VALIDATION_ERROR');
    assertError(await ask('POST', 'settings', '{"calling": {}, "access_token": "x"}', form), 400, 'VALIDATION_ERROR');
    await ask('POST', 'whatsapp_business_profile', 'messaging_product=whatsapp&about=By+form', form);
    assert.equal(gateway.simulator.world.calls.list().at(-1)?.contentType, form['content-type']);
    assert.equal((await ask('GET', 'whatsapp_business_profile?fields=about')).json.data[0].about, 'By form');
  });

  it("the platform's refusal: word for word", async () => {
    const refused = await ask('POST', 'register', { messaging_product: 'whatsapp', pin: '12' });
    assert.equal(refused.status, 400);
    assert.equal(refused.json.code, undefined);
    assert.equal(refused.json.error.message, '(#100) Param pin must be 6 characters long.');
    assert.ok(refused.headers.get('x-fb-trace-id'));
  });

  it('a token or a reserved member: never passes', async () => {
    const before = gateway.simulator.world.calls.list().length;
    const path = 'whatsapp_business_profile';
    for (const body of [
      { about: 'x', access_token: 'EAA' },
      '{"about":"x","access\\u005ftoken":"EAA"}',
      { about: 'x', appsecret_proof: 'x' },
      { about: 'x', method: 'delete' },
      { about: 'x', fields: 'id' },
      '{"about":"x","about":"y"}',
      '[1]',
    ]) {
      assertError(await ask('POST', path, body), 400, 'VALIDATION_ERROR');
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const body of [
      'about=x&access_token=EAA',
      'about=x&access.token=EAA',
      'access_token[]=EAA',
      'method=delete',
    ]) {
      assertError(await ask('POST', path, body, form), 400, 'VALIDATION_ERROR');
    }
    assertError(
      await ask('POST', path, 'x', { 'content-type': 'multipart/form-data; boundary=b' }),
      400,
      'VALIDATION_ERROR',
    );
    assert.equal(gateway.simulator.world.calls.list().length, before);
    await ask('GET', `${path}?access_token=EAAother&appsecret_proof=ab&method=delete&fields=about`);
    const { url = '' } = gateway.simulator.world.calls.list().at(-1) ?? {};
    assert.equal(url, `/v24.0/${tenant.phoneNumberId}/${path}?fields=about`);
  });

  it('settings: only those that leave the messages readable', async () => {
    assert.equal((await ask('POST', 'settings', { calling: { status: 'ENABLED' } })).status, 200);
    for (const name of ['payload_encryption', 'storage_configuration', 'unheard_of']) {
      assertError(await ask('POST', 'settings', { [name]: {} }), 400, 'VALIDATION_ERROR');
    }
    assert.deepEqual((await ask('GET', 'settings?fields=calling')).json, { calling: { status: 'ENABLED' } });
  });

  it('the block list, QR codes, user name: state at the platform', async () => {
    const block_users = [{ user: '+12025550123' }, { user: '+12025550124' }];
    await ask('POST', 'block_users', { messaging_product: 'whatsapp', block_users });
    await ask('DELETE', 'block_users', { messaging_product: 'whatsapp', block_users: block_users.slice(1) });
    assert.deepEqual([...gateway.simulator.world.edges.blockedBy(tenant.phoneNumberId)], ['12025550123']);

    const { code } = (await ask('POST', 'message_qrdls', { prefilled_message: 'Hi', generate_qr_image: 'PNG' })).json;
    assert.equal((await ask('GET', `message_qrdls/${code}`)).json.data[0].prefilled_message, 'Hi');
    const changed = await ask('POST', `message_qrdls/${code}?prefilled_message=Hello%20again`);
    assert.equal(changed.json.prefilled_message, 'Hello again');
    assert.equal((await ask('DELETE', `message_qrdls/${code}`)).json.success, true);
    assert.deepEqual((await ask('GET', 'message_qrdls')).json, { data: [] });
    for (const path of [
      'message_qrdls/a%2f..%2fb',
      'message_qrdls/a%3Fb',
      'message_qrdls/%EF%BC%91',
      'message_qrdls/a%0d%0a',
    ]) {
      assert.equal((await ask('GET', path)).status, 404, path);
    }

    await ask('POST', 'username', { username: 'example' });
    assert.deepEqual((await ask('GET', 'username')).json, { username: 'example', status: 'reserved' });
  });

  it('parameters in the query: those of the table', async () => {
    await ask('POST', 'whatsapp_commerce_settings?is_cart_enabled=false&nonsense=1');
    assert.deepEqual((await ask('GET', 'whatsapp_commerce_settings?fields=is_cart_enabled')).json, {
      data: [{ is_cart_enabled: 'false' }],
    });
  });

  it('paging: a client that follows the links stays at the gateway, with its own key', async () => {
    const block_users = Array.from({ length: 5 }, (_, index) => ({ user: `+1202555${2000 + index}` }));
    await ask('POST', 'block_users', { block_users }, {}, other);
    let url = `${gateway.baseUrl}/v24.0/${other.phoneNumberId}/block_users?limit=2&access_token=EAA`;
    const seen: string[] = [];
    for (let page = 0; page < 3; page += 1) {
      const response = await fetch(url, { headers: { authorization: `Bearer ${other.apiKey}` } });
      const { data, paging } = (await response.json()) as { data: { wa_id: string }[]; paging: { next?: string } };
      seen.push(...data.map(({ wa_id }) => wa_id));
      if (paging.next === undefined) break;
      assert.ok(paging.next.startsWith(`${gateway.baseUrl}/v1/${other.phoneNumberId}/block_users?`), paging.next);
      assert.ok(!paging.next.includes('access_token'));
      url = paging.next;
    }
    assert.equal(new Set(seen).size, 5);
  });

  it('any member of a number: read at the platform; members that lead elsewhere: left out', async () => {
    const node = (fields: string) => call(gateway, tenant, 'GET', `/v24.0/${tenant.phoneNumberId}?fields=${fields}`);
    assert.deepEqual((await node('name_status,code_verification_status')).json, {
      name_status: 'APPROVED',
      code_verification_status: 'VERIFIED',
      id: tenant.phoneNumberId,
    });
    assert.deepEqual((await node('webhook_configuration,whatsapp_business_account{owner_business}')).json, {
      id: tenant.phoneNumberId,
      webhook_configuration: {},
    });
    const renamed = await call(gateway, tenant, 'POST', `/v24.0/${tenant.phoneNumberId}`, {
      body: { new_display_name: 'Example Ltd' },
    });
    assert.deepEqual(renamed.json, { success: true });
    const diverted = await call(gateway, tenant, 'POST', `/v24.0/${tenant.phoneNumberId}`, {
      body: { webhook_configuration: { override_callback_uri: 'https://10.0.0.8/hook', verify_token: 'x' } },
    });
    assertError(diverted, 400, 'VALIDATION_ERROR');
    assert.match(diverted.json.message, /private or reserved address/);
    assert.equal(gateway.simulator.world.accounts.findNumber(tenant.phoneNumberId)?.overrideCallbackUri, null);
  });

  it('calls and the control of conversations: passed on without an event', async () => {
    const started = await ask('POST', 'calls', {
      messaging_product: 'whatsapp',
      to: '+12025550123',
      action: 'connect',
    });
    const call_id = started.json.calls[0].id;
    assert.equal((await ask('POST', 'calls', { action: 'terminate', call_id })).json.success, true);
    assert.equal((await ask('POST', 'calls', { action: 'terminate', call_id }, {}, other)).json.error.code, 138000);
    assert.equal((await ask('GET', 'call_permissions?user_wa_id=12025550123')).json.permission.status, 'no_permission');
    assert.equal((await ask('POST', 'thread_control', { to: '+12025550123', action: 'release' })).json.success, true);
  });
});
