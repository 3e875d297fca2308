import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { encodeMultipart } from '../../harness/multipart.ts';
import { admin, call, connectWaba, createTenant, sendNow } from '../../harness/tenant.ts';
import { payloadOf, postWebhook } from '../../harness/upstream-webhook.ts';

describe('objects whose owner their ids do not show', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const ask = (method: string, path: string, options: Parameters<typeof call>[4] = {}) =>
    call(gateway, tenant, method, `/v24.0/${path}`, options);

  it('a flow: created, changed, uploaded byte for byte, published, deprecated', async () => {
    const { id } = (await ask('POST', `${tenant.wabaId}/flows`, { body: { name: 'booking', categories: ['OTHER'] } }))
      .json;
    assert.equal((await ask('POST', id, { body: { name: 'table' } })).json.success, true);
    const file = Buffer.from('{"version":"7.3", "screens":[\u2028], "x":"é\u0000"}'.replace('\u2028', ''));
    const form = encodeMultipart([
      { name: 'name', value: 'flow.json' },
      { name: 'asset_type', value: 'FLOW_JSON' },
      { name: 'file', value: file, fileName: 'flow.json', contentType: 'application/json' },
    ]);
    assert.equal((await ask('POST', `${id}/assets`, form)).status, 200);
    const sent = gateway.simulator.world.calls.list().at(-1);
    assert.ok(sent?.body.equals(form.body));
    assert.equal(sent?.contentType, form.headers['content-type']);
    assert.ok(gateway.simulator.world.edges.flows.get(id)?.json?.equals(file));
    assert.equal((await ask('GET', `${id}/assets`)).json.data[0].name, 'flow.json');
    assert.equal((await ask('POST', `${id}/publish`)).json.success, true);
    assert.deepEqual((await ask('GET', `${id}?fields=name,status`)).json, { name: 'table', status: 'PUBLISHED', id });
    assert.equal((await ask('DELETE', id)).json.error.code, 139004);
    assert.equal((await ask('POST', `${id}/deprecate`)).json.success, true);
  });

  it('a form with a member of its own that must not pass: refused', async () => {
    const { id } = (await ask('POST', `${tenant.wabaId}/flows`, { body: { name: 'other' } })).json;
    for (const name of ['access_token', 'method', 'fields', 'clone_flow_id']) {
      const form = encodeMultipart([{ name, value: 'x' }]);
      assertError(await ask('POST', `${id}/assets`, form), 400, 'VALIDATION_ERROR');
    }
    assert.equal((await ask('DELETE', id)).json.success, true);
    assert.equal(gateway.simulator.world.edges.flows.has(id), false);
  });

  it('a flow that was made elsewhere: found in the list of the own account, the id never sent', async () => {
    const flow = {
      wabaId: tenant.wabaId,
      name: 'made elsewhere',
      categories: [],
      status: 'DRAFT',
      endpointUri: null,
    } as const;
    gateway.simulator.world.edges.flows.set('880000000000001', { ...flow, id: '880000000000001', json: null });
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask('GET', '880000000000001/assets')));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
    const asked = gateway.simulator.world.calls.list().filter(({ url }) => /\/flows\?limit/.test(url));
    assert.equal(asked.length, 1);
  });

  it('an account that moves to another organization: its flows move with it', async () => {
    const [former, next] = [await createTenant(gateway), await createTenant(gateway)];
    const { id } = (await call(gateway, former, 'POST', `/v1/${former.wabaId}/flows`, { body: { name: 'moving' } }))
      .json;
    await admin(gateway, 'DELETE', `/wabas/${former.wabaId}`);
    await connectWaba(gateway, next.organizationId, former.wabaId);
    assertError(await call(gateway, former, 'GET', `/v1/${id}/assets`), 404, 'NOT_FOUND');
    assert.equal((await call(gateway, next, 'GET', `/v1/${id}/assets`)).status, 200);
  });

  it('a group and a flow that a webhook names: known at once', async () => {
    const [group, flow] = ['Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAz', '880000000000777'];
    const number = { phone_number_id: tenant.phoneNumberId, display_phone_number: tenant.phoneNumber };
    const told = payloadOf(
      tenant,
      {
        field: 'group_lifecycle_update',
        value: { metadata: number, groups: [{ group_id: group, type: 'group_create' }] },
      },
      { field: 'flows', value: { event: 'FLOW_STATUS_CHANGE', flow_id: flow } },
    );
    assert.equal((await postWebhook(gateway, told)).status, 200);
    const calls = () => gateway.simulator.world.calls.list();
    await ask('GET', `${group}/invite_link`);
    assert.equal(calls().at(-1)?.url, `/v24.0/${group}/invite_link`);
    await ask('GET', `${flow}/assets`);
    assert.equal(calls().at(-1)?.url, `/v24.0/${flow}/assets`);
  });

  it('a group: created, read, changed, deleted', async () => {
    await ask('POST', `${tenant.phoneNumberId}/groups`, {
      body: { messaging_product: 'whatsapp', subject: 'Regulars' },
    });
    const { groups } = (await ask('GET', `${tenant.phoneNumberId}/groups`)).json.data;
    const { id } = groups[0];
    assert.equal((await ask('GET', `${id}?fields=subject`)).json.subject, 'Regulars');
    assert.ok((await ask('POST', id, { body: { subject: 'Friends' } })).json.request_id);
    const simulated = gateway.simulator.world.edges.groups.get(id);
    assert.equal(simulated?.subject, 'Friends');
    simulated?.joinRequests.set('77', '12025550123');
    const approved = await ask('POST', `${id}/join_requests`, { body: { join_requests: ['77'] } });
    assert.deepEqual(approved.json.approved_join_requests, ['77']);
    assert.deepEqual([...(simulated?.participants ?? [])], ['12025550123']);
    await ask('DELETE', `${id}/participants`, { body: { participants: [{ user: '+12025550123' }] } });
    assert.equal(simulated?.participants.size, 0);
    assert.ok((await ask('DELETE', id)).json.request_id);
  });

  it("the platform's record of a message: its events, once the record was listed", async () => {
    const { wamid } = await sendNow(gateway, tenant);
    const list = await ask('GET', `${tenant.phoneNumberId}/message_history?message_id=${wamid}`);
    const { id } = list.json.data[0];
    assert.equal((await ask('GET', `${id}/events`)).json.data[0].delivery_status, 'SENT');
    assertError(await ask('GET', `${id}9/events`), 404, 'NOT_FOUND');
  });
});
