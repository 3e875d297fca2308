import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pino from 'pino';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { call, createTenant, send, templateTo, textTo, until } from '../../harness/tenant.ts';

describe('calls about a business account', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const ask = (method: string, path: string, body?: unknown) =>
    call(gateway, tenant, method, `/v24.0/${path}`, body === undefined ? {} : { body });

  it('its figures: as edges and as members, no longer silently empty', async () => {
    const edge = await ask('GET', `${tenant.wabaId}/conversation_analytics?start=1&end=2&granularity=DAILY`);
    assert.equal(edge.json.data[0].data_points[0].start, 1);
    const member = await ask(
      'GET',
      `${tenant.wabaId}?fields=analytics.start(1).end(2).granularity(DAY),owner_business_info,name`,
    );
    assert.deepEqual(Object.keys(member.json).sort(), ['analytics', 'id', 'name']);
    const { url = '' } = gateway.simulator.world.calls.list().at(-1) ?? {};
    assert.equal(
      new URL(url, 'http://x').searchParams.get('fields'),
      'analytics.start(1).end(2).granularity(DAY),name',
    );
  });

  it('its members: the allowed ones change', async () => {
    assert.equal((await ask('POST', tenant.wabaId, { name: 'Renamed' })).json.success, true);
    assert.equal(gateway.simulator.world.accounts.findWaba(tenant.wabaId)?.attributes.name, 'Renamed');
    assertError(await ask('POST', tenant.wabaId, { name: 'x', timezone_id: 1 }), 400, 'VALIDATION_ERROR');
  });

  it('templates made by an upsert: can be sent at once', async () => {
    const body = { name: 'one_time', category: 'AUTHENTICATION', languages: ['en_US'], components: [{ type: 'BODY' }] };
    const made = await ask('POST', `${tenant.wabaId}/upsert_message_templates`, body);
    assert.equal(made.status, 200);
    const { id } = made.json.data[0];
    assert.equal((await ask('GET', id)).json.name, 'one_time');
    assert.equal((await call(gateway, tenant, 'GET', `/v1/templates/${id}`)).json.name, 'one_time');
  });

  it('a paused template: unpaused, and known as such', async () => {
    const { id } = (await call(gateway, tenant, 'GET', '/v1/templates?name=greeting&language=de')).json.data[0];
    await gateway.simulator.world.setTemplateStatus(id, { status: 'PAUSED' });
    assert.equal((await ask('POST', `${id}/unpause`)).json.success, true);
    await until('the template is approved', async () => {
      const { json } = await call(gateway, tenant, 'GET', `/v1/templates/${id}`);
      return json.status === 'APPROVED' || undefined;
    });
  });

  it('edges that give access or cross tenants: closed, with the way out', async () => {
    for (const [method, path] of [
      ['GET', `${tenant.wabaId}/assigned_users`],
      ['POST', `${tenant.wabaId}/assigned_users`],
      ['GET', `${tenant.wabaId}/solutions`],
      ['POST', `${tenant.phoneNumberId}/messages_encrypted`],
      ['POST', `${tenant.wabaId}/migrate_message_templates`],
    ] as const) {
      const answer = await ask(method, path, method === 'GET' ? undefined : {});
      assertError(answer, 404, 'NOT_FOUND');
      assert.match(answer.json.message, /ask the operator of this gateway, or the platform itself/);
    }
  });
});

describe('registration', () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const gateway = useGateway({ settings: () => ({ log }) });
  const pin = '482913';

  it('deregister and register: the state of the number follows, and waiting messages wait', async () => {
    const tenant = await createTenant(gateway);
    const ask = (path: string, body: object = {}) =>
      call(gateway, tenant, 'POST', `/v24.0/${tenant.phoneNumberId}/${path}`, { body });
    assert.equal((await ask('deregister')).json.success, true);
    assertError(await send(gateway, tenant, templateTo('+12025550123')), 409, 'ACCOUNT_NOT_REGISTERED');
    assert.equal((await ask('register', { messaging_product: 'whatsapp', pin })).json.success, true);
    assert.equal((await send(gateway, tenant, templateTo('+12025550123'))).status, 202);
    const wrong = await ask('register', { messaging_product: 'whatsapp', pin: '000000' });
    assert.equal(wrong.json.error.code, 133005);
    const { json } = await call(gateway, tenant, 'GET', '/v1/events?limit=200');
    assert.ok(!JSON.stringify(json).includes(pin));
    const changes = lines.filter((line) => line.includes('configuration changed through the API'));
    const logged = changes
      .map((line) => JSON.parse(line))
      .filter(({ organizationId }) => organizationId === tenant.organizationId);
    assert.deepEqual(
      logged.map(({ operation, objectId }) => `${operation} ${objectId}`),
      [`deregisterNumber ${tenant.phoneNumberId}`, `registerNumber ${tenant.phoneNumberId}`],
    );
    assert.ok(!lines.some((line) => line.includes(pin)));
  });

  it('ten calls within 72 hours: the eleventh is held back', async () => {
    const tenant = await createTenant(gateway);
    const ask = () =>
      call(gateway, tenant, 'POST', `/v24.0/${tenant.phoneNumberId}/register`, {
        body: { messaging_product: 'whatsapp', pin },
      });
    for (let count = 0; count < 10; count += 1) assert.equal((await ask()).status, 200);
    const held = await ask();
    assertError(held, 429, 'RATE_LIMITED');
    const seconds = Number(held.headers.get('retry-after'));
    assert.ok(seconds > 71 * 3600 && seconds <= 72 * 3600, String(seconds));
  });

  it('a new number: added, verified, registered, and sent from', async () => {
    const tenant = await createTenant(gateway);
    const ask = (path: string, body: object) => call(gateway, tenant, 'POST', `/v24.0/${path}`, { body });
    const added = await ask(`${tenant.wabaId}/phone_numbers`, {
      cc: '1',
      phone_number: '2025550199',
      verified_name: 'Example',
    });
    const { id } = added.json;
    assert.equal((await ask(`${id}/request_code`, { code_method: 'SMS', language: 'en_US' })).json.success, true);
    assert.equal((await ask(`${id}/verify_code`, { code: '123456' })).json.success, true);
    assert.equal((await ask(`${id}/register`, { messaging_product: 'whatsapp', pin })).json.success, true);
    const sent = await call(gateway, tenant, 'POST', `/v24.0/${id}/messages`, { body: templateTo('+12025550123') });
    assert.equal(sent.status, 202, sent.text);
    assertError(await ask(`${id}`, textTo('+12025550123')), 404, 'NOT_FOUND');
  });
});
