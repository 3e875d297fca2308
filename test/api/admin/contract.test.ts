import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isUuid, newId } from '../../../src/core/ids.ts';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  type Answer,
  askAdmin,
  call,
  createTenant,
  freshRecipient,
  sendTemplate,
  until,
  untilStatus,
} from '../../harness/tenant.ts';

/** The operator contract: status codes and shapes of `/admin/v1`, observed from outside. */
describe('the admin API', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  const ask = (method: string, path: string, body?: unknown): Promise<Answer> => askAdmin(gateway, method, path, body);
  const newWaba = () => {
    const serial = String(Math.floor(Math.random() * 1e9)).padStart(9, '0');
    const seed = { wabaId: `71${serial}`, accessToken: `EAAnew${serial}`, phoneNumberId: `81${serial}` };
    gateway.simulator.world.addWaba({
      id: seed.wabaId,
      accessToken: seed.accessToken,
      subscribed: false,
      numbers: [
        { id: seed.phoneNumberId, displayPhoneNumber: '+1 631-555-8151' },
        { id: `82${serial}`, displayPhoneNumber: '+49 30 901820', status: 'PENDING' },
      ],
      templates: Array.from({ length: 130 }, (_, index) => ({ name: `template_${index}`, language: 'en_US' })),
    });
    return seed;
  };
  const connect = (organizationId: string, waba: { wabaId: string; accessToken: string }) =>
    ask('POST', `/organizations/${organizationId}/wabas`, { waba_id: waba.wabaId, access_token: waba.accessToken });

  it('refuses every request without the token before it reveals what exists', async () => {
    const routes: [string, string][] = [
      ['POST', '/organizations'],
      ['GET', '/organizations'],
      ['GET', `/organizations/${tenant.organizationId}`],
      ['POST', `/organizations/${tenant.organizationId}/api-keys`],
      ['GET', `/organizations/${tenant.organizationId}/api-keys`],
      ['DELETE', `/api-keys/${newId()}`],
      ['POST', `/organizations/${tenant.organizationId}/wabas`],
      ['GET', `/organizations/${tenant.organizationId}/wabas`],
      ['POST', `/wabas/${tenant.wabaId}/sync`],
      ['DELETE', `/wabas/${tenant.wabaId}`],
      ['DELETE', `/organizations/${tenant.organizationId}`],
      ['PUT', `/organizations/${tenant.organizationId}/plan`],
      ['GET', `/organizations/${tenant.organizationId}/plan`],
      ['GET', `/organizations/${tenant.organizationId}/usage`],
      ['PATCH', `/numbers/${tenant.phoneNumberId}`],
      ['GET', '/queue'],
    ];
    const texts = new Set<string>();
    for (const [method, path] of routes) {
      for (const apiKey of [undefined, tenant.apiKey, '', `${gateway.adminToken}x`, `${gateway.adminToken} x`]) {
        const answer = await call(
          gateway,
          apiKey === undefined ? undefined : { apiKey },
          method,
          `/admin/v1${path}`,
          method === 'GET' ? {} : { body: '{}' },
        );
        assertError(answer, 401, 'UNAUTHORIZED', 190);
        texts.add(textWithoutRequestId(answer));
      }
    }
    assert.equal(texts.size, 1);
  });

  it('creates an organization: 201 with id, created_at and settings, which change one by one', async () => {
    const answer = await ask('POST', '/organizations', { name: 'Example Ltd', weight: 3 });
    assert.equal(answer.status, 201, answer.text);
    const { id, created_at, ...settings } = answer.json;
    assert.ok(isUuid(id));
    assert.ok(Date.parse(created_at) > 0);
    const given = { name: 'Example Ltd', weight: 3, unknown_outcome_policy: 'resend', message_ttl_seconds: 86_400 };
    const defaults = { direct_send: false, phone_numbers: 'upstream', to_without_plus: false, opt_out_words: [] };
    const kind = { test: false };
    const kept = { retention: {}, keep_bodies: 'until_expiry' };
    const leniency = { contacts_as_text: false, cloud_api_credentials: false };
    assert.deepEqual(settings, { ...given, ...kind, ...defaults, ...leniency, ...kept, marketing_messages: 'auto' });
    const changed = await ask('PATCH', `/organizations/${id}`, { message_ttl_seconds: 60 });
    assert.deepEqual([changed.status, changed.json], [200, { ...answer.json, message_ttl_seconds: 60 }]);
  });

  it('issues a key, with or without a name: 201, shown only this once', async () => {
    for (const body of [{ name: 'shop' }, {}, undefined]) {
      const answer = await ask('POST', `/organizations/${tenant.organizationId}/api-keys`, body);
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual(Object.keys(answer.json).toSorted(), ['created_at', 'id', 'key', 'name']);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      const rows = await gateway.app.db.query({
        text: `
          SELECT FROM api_key k WHERE position($1 IN k::text) > 0
          UNION ALL SELECT FROM change_feed c WHERE position($1 IN c::text) > 0`,
        values: [answer.json.key],
      });
      assert.equal(rows.length, 0, 'only the hash is stored');
    }
  });

  it('disables a key: 204 without a body, again 204, and 404 for an unknown one', async () => {
    const key = await ask('POST', `/organizations/${tenant.organizationId}/api-keys`, {});
    for (let round = 0; round < 2; round += 1) {
      const answer = await ask('DELETE', `/api-keys/${key.json.id}`);
      assert.equal(answer.status, 204);
      assert.equal(answer.text, '');
    }
    for (const id of [newId(), 'nonsense']) assertError(await ask('DELETE', `/api-keys/${id}`), 404, 'NOT_FOUND');
  });

  it('connects a WABA: 201 with numbers and template count, webhooks subscribed', async () => {
    const organization = await ask('POST', '/organizations', { name: 'Connecting' });
    const waba = newWaba();
    const answer = await connect(organization.json.id, waba);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.json.waba_id, waba.wabaId);
    assert.equal(answer.json.templates, 130);
    const numbers = Object.fromEntries(
      answer.json.numbers.map((number: Record<string, unknown>) => [number.phone_number, number]),
    );
    assert.deepEqual(Object.keys(numbers).toSorted(), ['16315558151', '4930901820']);
    assert.equal(numbers['16315558151'].registered, true);
    assert.equal(numbers['16315558151'].phone_number_id, waba.phoneNumberId);
    assert.ok(isUuid(numbers['16315558151'].account_id));
    assert.equal(numbers['4930901820'].registered, false);
    assert.equal(gateway.simulator.world.accounts.findWaba(waba.wabaId)?.subscribed, true);
    assert.ok(!answer.text.includes(waba.accessToken));

    const again = await connect(organization.json.id, waba);
    assert.equal(again.status, 201, again.text);
    assert.deepEqual(again.json, answer.json, 'the same one again is the refreshed record');
    assertError(await connect(organization.json.id, { ...waba, accessToken: 'a b' }), 400, 'VALIDATION_ERROR');
  });

  it('refuses a WABA of another organization with 409, without its name; nothing changes', async () => {
    const waba = {
      wabaId: tenant.wabaId,
      accessToken: gateway.simulator.world.accounts.findWaba(tenant.wabaId)!.accessToken,
    };
    const answer = await connect(other.organizationId, waba);
    assertError(answer, 409, 'CONFLICT');
    assert.ok(!answer.text.includes(tenant.organizationId));
    await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, freshRecipient()), 'read');
  });

  it("reports in the upstream's words why it refuses a token, and stores nothing", async () => {
    const waba = newWaba();
    const organization = await ask('POST', '/organizations', { name: 'Wrong token' });
    const answer = await connect(organization.json.id, { ...waba, accessToken: 'EAAwrong' });
    assertError(answer, 422, 'PROVIDER_REJECTED', 190);
    assert.deepEqual(Object.keys(answer.json.provider_error).toSorted(), [
      'code',
      'error_user_msg',
      'error_user_title',
    ]);
    assert.ok(!answer.text.includes('EAAwrong'));
    assertError(await ask('POST', `/wabas/${waba.wabaId}/sync`), 404, 'NOT_FOUND');
  });

  it('answers 404 for an unknown organization on every route', async () => {
    const id = newId();
    for (const organizationId of [id, 'x']) {
      const answers = [
        await ask('PATCH', `/organizations/${organizationId}`, { name: 'x' }),
        await ask('POST', `/organizations/${organizationId}/api-keys`, {}),
        await connect(organizationId, newWaba()),
        await ask('PUT', `/organizations/${organizationId}/plan`, { active: true }),
        await ask('GET', `/organizations/${organizationId}/usage`),
      ];
      for (const answer of answers) assertError(answer, 404, 'NOT_FOUND');
    }
  });

  it('syncs a WABA: numbers and templates follow the upstream', async () => {
    gateway.simulator.world.addTemplate(tenant.wabaId, { name: 'made_since', language: 'en_US' });
    gateway.simulator.world.addNumber(tenant.wabaId, {
      id: `${tenant.phoneNumberId}7`,
      displayPhoneNumber: '+15557770007',
    });
    const answer = await ask('POST', `/wabas/${tenant.wabaId}/sync`);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.templates, 7);
    assert.equal(answer.json.numbers.length, 2);
    await sendTemplate(gateway, tenant, freshRecipient(), 'made_since');
    assertError(await ask('POST', '/wabas/799999999999999/sync'), 404, 'NOT_FOUND');
  });

  it('a WABA whose token no key opens: asks to connect it again', async () => {
    const sealed = await createTenant(gateway);
    const { wabaId, organizationId } = sealed;
    // docs/operations.md does the same when the encryption key is lost.
    await gateway.app.db.query({ text: `UPDATE waba SET token_sealed = '' WHERE waba_id = $1`, values: [wabaId] });
    const sync = await ask('POST', `/wabas/${wabaId}/sync`);
    assertError(sync, 503, 'UNAVAILABLE');
    assert.match(sync.json.message, /connected again/);
    const template = {
      name: 'late',
      language: 'en_US',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Late.' }],
    };
    const create = () => call(gateway, sealed, 'POST', `/v1/${wabaId}/templates`, { body: template });
    assertError(await create(), 503, 'UNAVAILABLE');
    await sendTemplate(gateway, sealed, freshRecipient());
    await until('the queue says so, too', async () => {
      const { json } = await ask('GET', `/queue?phone_number_id=${sealed.phoneNumberId}`);
      return (
        json.numbers[0]?.waits_for.some((reason: string) => /^parked: .*connected again/.test(reason)) || undefined
      );
    });
    const connect = { waba_id: wabaId, access_token: `EAAtest${wabaId.slice(1)}` };
    assert.equal((await ask('POST', `/organizations/${organizationId}/wabas`, connect)).status, 201);
    assert.equal((await ask('POST', `/wabas/${wabaId}/sync`)).status, 200);
    assert.equal((await create()).status, 200);
  });

  it('puts a plan: absent stays, null is unlimited, the answer is the whole plan', async () => {
    const organization = await ask('POST', '/organizations', { name: 'Planned' });
    const put = (change: object) => ask('PUT', `/organizations/${organization.json.id}/plan`, change);
    const plan = {
      name: 'starter',
      active: true,
      monthly_message_limit: 10,
      message_types: ['text'],
      template_categories: ['UTILITY'],
      monthly_budget: 12.345678,
      requests_per_second: 50,
      key_requests_per_second: null,
      queue_max: 100_000,
      free_service_messages: 500,
    };
    const answer = await put({ ...plan, template_categories: ['utility'] });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json, { ...plan, prices: null });
    const lifted = { ...plan, monthly_budget: null, prices: { service: 0.005 } };
    assert.deepEqual((await put({ monthly_budget: null, prices: { service: 0.005 } })).json, lifted);
    assert.deepEqual((await put({ prices: null })).json, { ...lifted, prices: null });
  });

  it('refuses invalid settings by their name and stores none', async () => {
    const { json: organization } = await ask('POST', '/organizations', { name: 'Strict' });
    const path = `/organizations/${organization.id}`;
    const { json: plan } = await ask('GET', `${path}/plan`);
    const refused: [method: string, path: string, body: object | string, words: RegExp][] = [
      ['POST', '/organizations', {}, /name/],
      ['POST', '/organizations', { name: '' }, /name/],
      ['POST', '/organizations', { name: 'a\u0000b' }, /name/],
      ['POST', '/organizations', { name: 'x', weight: 0 }, /weight/],
      // The fair order counts turns as 1/weight: one weight of 1e20 would leave almost nothing to the others.
      ['POST', '/organizations', { name: 'x', weight: 1e-20 }, /weight/],
      ['POST', '/organizations', { name: 'x', weight: 1e-300 }, /weight/],
      ['PATCH', path, { unknown_outcome_policy: 'pray' }, /unknown_outcome_policy/],
      ['PATCH', path, { message_ttl_seconds: 1.5 }, /message_ttl_seconds/],
      ['PUT', `${path}/plan`, { monthly_message_limit: -1 }, /monthly_message_limit.* >= 0/],
      ['PUT', `${path}/plan`, { message_types: ['fax'] }, /message_types/],
      ['PUT', `${path}/plan`, { template_categories: 'UTILITY' }, /template_categories/],
      ['PUT', `${path}/plan`, { monthly_budget: '12' }, /monthly_budget/],
      ['PUT', `${path}/plan`, { active: null }, /active/],
      ['PUT', `${path}/plan`, { prices: { service: -1 } }, /prices\.service/],
      ['PUT', `${path}/plan`, '{"prices":{"service":0.1,"service":0.2}}', /service/],
      ['PUT', `${path}/plan`, { surprise: 1 }, /surprise/],
      ['PUT', `${path}/plan`, [], /body/],
    ];
    for (const [method, where, body, words] of refused) {
      const answer = await ask(method, where, body);
      assertError(answer, 400, 'VALIDATION_ERROR');
      assert.match(answer.json.message, words);
    }
    assert.deepEqual((await ask('GET', path)).json, organization);
    assert.deepEqual((await ask('GET', `${path}/plan`)).json, plan);
  });

  it('survives a NUL in any parameter', async () => {
    for (const path of [
      '/queue?phone_number_id=%00',
      '/queue?organization_id=%00',
      `/organizations/${tenant.organizationId}/usage?month=%00`,
    ]) {
      const answer = await ask('GET', path);
      assert.ok(answer.status < 500, `${path}: ${answer.text}`);
    }
  });

  it('accepts any whole character in a name, and no half of one', async () => {
    for (const name of ['a\ud83d', '\ude00b']) {
      assertError(await ask('POST', '/organizations', { name }), 400, 'VALIDATION_ERROR');
    }
    assert.equal((await ask('POST', '/organizations', { name: 'Grün \u{1f600}' })).json.name, 'Grün \u{1f600}');
  });
});
