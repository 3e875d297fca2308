import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, call, createTenant, type Tenant, textTo } from '../../harness/tenant.ts';
import { postWebhook } from '../../harness/upstream-webhook.ts';

describe('nodes read by id, as Cloud API clients do', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway, { number: { verifiedName: 'Example Ltd' } });
  const other = useTenant(gateway);

  const get = (path: string, as: Tenant | undefined = tenant) => call(gateway, as, 'GET', path);

  it("a number: the Graph API's default members, under any version and none", async () => {
    for (const version of ['/v1', '/v19.0', '/v24.0', '']) {
      const { status, json } = await get(`${version}/${tenant.phoneNumberId}`);
      assert.equal(status, 200);
      assert.deepEqual(json, {
        verified_name: 'Example Ltd',
        display_phone_number: `+${tenant.phoneNumber}`,
        quality_rating: 'GREEN',
        throughput: { level: 'STANDARD' },
        id: tenant.phoneNumberId,
      });
    }
  });

  it('a number: the requested members, and always its id', async () => {
    const path = `/v1/${tenant.phoneNumberId}?fields=status,%20throughput{level,x},nonsense,health_status{a{b,c}},is_on_biz_app`;
    assert.deepEqual((await get(path)).json, {
      status: 'CONNECTED',
      throughput: { level: 'STANDARD' },
      health_status: {
        can_send_message: 'AVAILABLE',
        entities: [{ entity_type: 'PHONE_NUMBER', id: tenant.phoneNumberId, can_send_message: 'AVAILABLE' }],
      },
      is_on_biz_app: false,
      id: tenant.phoneNumberId,
    });
  });

  it('a number: its messaging limit, under both names, once a webhook has reported it', async () => {
    const fields = 'fields=messaging_limit_tier,whatsapp_business_manager_messaging_limit';
    const limits = async () => (await get(`/v1/${other.wabaId}/phone_numbers?${fields}`, other)).json.data;
    assert.deepEqual(await limits(), [{ id: other.phoneNumberId }]);
    const value = { max_daily_conversations_per_business: 'TIER_10K', max_phone_numbers_per_waba: 25 };
    const changes = [{ field: 'business_capability_update', value }];
    const told = { object: 'whatsapp_business_account', entry: [{ id: other.wabaId, changes }] };
    assert.equal((await postWebhook(gateway, told)).status, 200);
    const [messaging_limit_tier, id] = ['TIER_10K', other.phoneNumberId];
    assert.deepEqual(await limits(), [
      { messaging_limit_tier, whatsapp_business_manager_messaging_limit: messaging_limit_tier, id },
    ]);
  });

  it('a business account: its id, and the list of its numbers', async () => {
    assert.deepEqual((await get(`/v1/${tenant.wabaId}`)).json, { id: tenant.wabaId });
    const { json } = await get(`/v24.0/${tenant.wabaId}/phone_numbers?fields=display_phone_number`);
    assert.deepEqual(json.data, [{ display_phone_number: `+${tenant.phoneNumber}`, id: tenant.phoneNumberId }]);
  });

  it("a list of numbers: the platform's own, for members that the gateway does not keep", async () => {
    const { json } = await get(`/v24.0/${tenant.wabaId}/phone_numbers?fields=status,name_status,owner`);
    assert.deepEqual(json.data, [{ status: 'CONNECTED', name_status: 'APPROVED', id: tenant.phoneNumberId }]);
  });

  it('a list of numbers: has the cursors that Cloud API clients expect, and an end', async () => {
    const path = `/v24.0/${tenant.wabaId}/phone_numbers`;
    const { json } = await get(path);
    assert.deepEqual(Object.keys(json), ['data', 'paging']);
    const { before, after } = json.paging.cursors;
    for (const query of [`after=${after}`, `before=${before}`]) {
      assert.deepEqual((await get(`${path}?${query}`)).json, { data: [] });
    }
    assert.deepEqual((await get(`${path}?after=&before=`)).json, json);
    const { status, json: refusal } = await get(`${path}?after=x`);
    assert.deepEqual([status, refusal.code], [400, 'VALIDATION_ERROR']);
  });

  it('a business account: does not list a number that the platform lists no longer', async () => {
    const changed = await createTenant(gateway, { templates: [] });
    const phoneNumberId = `${changed.phoneNumberId}9`;
    gateway.simulator.world.addWaba({
      id: changed.wabaId,
      accessToken: `EAAtest${changed.wabaId.slice(1)}`,
      numbers: [{ id: phoneNumberId, displayPhoneNumber: `+${changed.phoneNumber}` }],
    });
    await admin(gateway, 'POST', `/wabas/${changed.wabaId}/sync`);
    const { json } = await get(`/v1/${changed.wabaId}/phone_numbers?fields=status`, changed);
    assert.deepEqual(json.data, [{ status: 'CONNECTED', id: phoneNumberId }]);
    assert.deepEqual((await get(`/v1/${changed.phoneNumberId}?fields=status`, changed)).json, {
      id: changed.phoneNumberId,
    });
  });

  it("a template: as in the Cloud API's lists, whole or with the requested members", async () => {
    const [listed] = (await get(`/v24.0/${tenant.wabaId}/message_templates?name=order_update`)).json.data;
    assert.equal(listed.status, 'APPROVED');
    assert.deepEqual((await get(`/v24.0/${listed.id}`)).json, listed);
    assert.deepEqual((await get(`/v1/${listed.id}?fields=status`)).json, { status: 'APPROVED', id: listed.id });
    const foreign = await get(`/v1/${listed.id}`, other);
    assert.deepEqual([foreign.status, foreign.json.code], [404, 'NOT_FOUND']);
  });

  it('ids of another organization: answered like unknown ids', async () => {
    for (const path of [
      `/v1/${other.phoneNumberId}`,
      `/v1/${other.wabaId}`,
      '/v1/1234567890',
      '/v1/%00',
      `/v1/${'9'.repeat(299)}`,
      `/v1/${other.wabaId}/phone_numbers`,
      `/v1/${tenant.phoneNumberId}/phone_numbers`,
      '/v1/1234567890/phone_numbers',
    ]) {
      const { status, json } = await get(path);
      assert.deepEqual([status, json.code], [404, 'NOT_FOUND'], path);
    }
    const [foreign, absent] = [await get(`/v1/${other.phoneNumberId}`), await get('/v1/1234567890')];
    assert.equal(foreign.json.message, absent.json.message);
    const [foreignList, absentList] = [
      await get(`/v1/${other.wabaId}/phone_numbers`),
      await get('/v1/1234567890/phone_numbers'),
    ];
    assert.equal(foreignList.json.message, absentList.json.message);
  });

  it('a POST to a number or account itself: answered with the right paths, own ids only', async () => {
    const post = async (id: string, as = tenant) => {
      const { status, json } = await call(gateway, as, 'POST', `/v24.0/${id}`, { body: textTo('+12025550100') });
      assert.deepEqual([status, json.code], [404, 'NOT_FOUND']);
      return json.message as string;
    };
    const { phoneNumberId, wabaId } = tenant;
    assert.match(await post(phoneNumberId), new RegExp(`sending number.*POST /v1/${phoneNumberId}/messages`));
    assert.match(await post(wabaId), new RegExp(`business account.*POST /v1/${wabaId}/templates`));
    const absent = await post('1234567890');
    assert.equal(await post(phoneNumberId, other), absent);
    assert.equal(await post(wabaId, other), absent);
  });

  it('no key: nothing is read', async () => {
    for (const path of [`/v1/${tenant.phoneNumberId}`, `/v1/${tenant.wabaId}/phone_numbers`, '/v1/media/1/download']) {
      const { status, json } = await call(gateway, undefined, 'GET', path);
      assert.deepEqual([status, json.code], [401, 'UNAUTHORIZED'], path);
    }
  });
});
