import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { pullAll } from '../../harness/events.ts';
import { useGateway } from '../../harness/fixtures.ts';
import {
  type Answer,
  call,
  createTenant,
  freshRecipient,
  issueKey,
  pause,
  resume,
  send,
  sendsTo,
  sendTemplate,
  type Tenant,
  templateTo,
  untilStatus,
} from '../../harness/tenant.ts';
import { nowSeconds, postChange } from '../../harness/upstream-webhook.ts';

const textMessage = (id: string) => ({ id, timestamp: String(nowSeconds()), type: 'text', text: { body: 'hi' } });

const ABSENT = '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30';

describe('the list of opt-outs', () => {
  const gateway = useGateway();

  const add = (tenant: Tenant, person: string, apiKey = tenant.apiKey): Promise<Answer> =>
    call(gateway, { apiKey }, 'POST', '/v1/opt-outs', { body: { phone_number_id: tenant.phoneNumberId, person } });
  const list = (tenant: { apiKey: string }, query = ''): Promise<Answer> =>
    call(gateway, tenant, 'GET', `/v1/opt-outs${query}`);
  const remove = (tenant: { apiKey: string }, id: string): Promise<Answer> =>
    call(gateway, tenant, 'DELETE', `/v1/opt-outs/${id}`);
  const writesAs = (tenant: Tenant, phone: string, userId: string) =>
    postChange(gateway, tenant, {
      contacts: [{ profile: { name: 'Q' }, wa_id: phone.slice(1), user_id: userId }],
      messages: [{ from: phone.slice(1), from_user_id: userId, ...textMessage(`wamid.${userId}`) }],
    });
  const typesOf = async (tenant: Tenant) =>
    (await pullAll(gateway, tenant)).map(({ type }) => type).filter((type) => type.startsWith('opt_out.'));

  it('an added person: marketing refused with 403 and not stored, other templates sent', async () => {
    const tenant = await createTenant(gateway);
    const to = freshRecipient();
    const added = await add(tenant, to);
    assert.equal(added.status, 201);
    assert.deepEqual(
      { ...added.json, id: 'x', opted_out_at: 'x' },
      {
        id: 'x',
        phone_number_id: tenant.phoneNumberId,
        person: to.slice(1),
        user_id: null,
        source: 'api',
        opted_out_at: 'x',
      },
    );
    assertError(await send(gateway, tenant, templateTo(to)), 403, 'RECIPIENT_OPTED_OUT', 131050);
    await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, to, 'greeting'), 'read');
    await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, freshRecipient()), 'read');
    assert.equal((await call(gateway, tenant, 'GET', `/v1/messages?recipient=${to.slice(1)}`)).json.data.length, 1);
  });

  it('an added person: listed once, also under another spelling; removed → marketing sent again', async () => {
    const tenant = await createTenant(gateway);
    const added = await add(tenant, '+5511987650001');
    const again = await add(tenant, '551187650001');
    assert.deepEqual([again.status, again.json.id], [200, added.json.id]);
    assertError(await send(gateway, tenant, templateTo('+5511987650001')), 403, 'RECIPIENT_OPTED_OUT');
    for (const query of ['', '?person=5511987650001', `?number=${tenant.phoneNumberId}&person=551187650001`]) {
      const { data } = (await list(tenant, query)).json;
      assert.deepEqual(
        data.map(({ id }: { id: string }) => id),
        [added.json.id],
        query,
      );
    }
    assert.equal((await remove(tenant, added.json.id)).status, 204);
    assertError(await remove(tenant, added.json.id), 404, 'NOT_FOUND');
    assert.deepEqual((await list(tenant)).json, { data: [], next: null });
    await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, '+5511987650001'), 'read');
    assert.deepEqual(await typesOf(tenant), ['opt_out.created', 'opt_out.removed']);
  });

  it('a marketing message that waits while its person opts out: fails with the code, never sent', async () => {
    const tenant = await createTenant(gateway);
    const to = freshRecipient();
    await pause(gateway, tenant);
    const [marketing, utility] = [
      await sendTemplate(gateway, tenant, to),
      await sendTemplate(gateway, tenant, to, 'greeting'),
    ];
    await add(tenant, to);
    await resume(gateway, tenant);
    const failed = await untilStatus(gateway, tenant, marketing, 'failed');
    assert.equal(failed.error_code, 'RECIPIENT_OPTED_OUT');
    await untilStatus(gateway, tenant, utility, 'read');
    assert.deepEqual(
      sendsTo(gateway, to).map(({ body }) => JSON.parse(String(body)).template.name),
      ['greeting'],
    );
    const events = (await pullAll(gateway, tenant)).filter(({ data }) => data.id === marketing);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.error_code]),
      [
        ['message.queued', undefined],
        ['message.failed', 'RECIPIENT_OPTED_OUT'],
      ],
    );
  });

  it('a user id that opted out: holds for the number that is learned later', async () => {
    const tenant = await createTenant(gateway);
    const [to, userId] = [freshRecipient(), `US.9${freshRecipient().slice(1)}`];
    assert.equal((await add(tenant, userId)).status, 201);
    await writesAs(tenant, to, userId);
    assertError(await send(gateway, tenant, templateTo(to)), 403, 'RECIPIENT_OPTED_OUT');
    const { data } = (await list(tenant, `?person=${to.slice(1)}`)).json;
    assert.deepEqual(
      data.map(({ user_id }: { user_id: string }) => user_id),
      [userId],
    );
  });

  it('a number that passes to another person: the opt-out stays with the former owner', async () => {
    const tenant = await createTenant(gateway);
    const to = freshRecipient();
    const [former, present] = [`US.8${to.slice(1)}`, `US.7${to.slice(1)}`];
    await writesAs(tenant, to, former);
    await add(tenant, to);
    await writesAs(tenant, to, present);
    await sendTemplate(gateway, tenant, to);
    const { to: _, ...template } = templateTo(to) as Record<string, unknown>;
    assertError(await send(gateway, tenant, { ...template, recipient: former }), 403, 'RECIPIENT_OPTED_OUT');
  });

  it('pages: newest first, each opt-out once', async () => {
    const tenant = await createTenant(gateway);
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift((await add(tenant, freshRecipient())).json.id);
    const found: string[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const { json } = await list(tenant, `?limit=2&after=${after}`);
      found.push(...json.data.map(({ id }: { id: string }) => id));
      after = json.next;
    }
    assert.deepEqual(found, ids);
  });

  it('another organization: sees and ends nothing, same bytes as for an absent id', async () => {
    const [one, other] = [await createTenant(gateway), await createTenant(gateway)];
    const to = freshRecipient();
    const { json } = await add(one, to);
    assert.deepEqual((await list(other)).json, { data: [], next: null });
    const [foreign, absent] = [await remove(other, json.id), await remove(other, ABSENT)];
    assertError(foreign, 404, 'NOT_FOUND');
    assert.equal(textWithoutRequestId(foreign), textWithoutRequestId(absent));
    assertError(await add(one, to, other.apiKey), 404, 'ACCOUNT_NOT_FOUND');
    assertError(await list(other, `?number=${one.phoneNumberId}`), 404, 'ACCOUNT_NOT_FOUND');
    await untilStatus(gateway, other, await sendTemplate(gateway, other, to), 'read');
    assertError(await send(gateway, one, templateTo(to)), 403, 'RECIPIENT_OPTED_OUT');
  });

  it('a key that is limited to another number: finds, adds and ends nothing of this one', async () => {
    const tenant = await createTenant(gateway);
    const { json } = await add(tenant, freshRecipient());
    gateway.simulator.world.addNumber(tenant.wabaId, {
      id: `${tenant.phoneNumberId}9`,
      displayPhoneNumber: `+${tenant.phoneNumber}9`,
    });
    await call(gateway, { apiKey: gateway.adminToken }, 'POST', `/admin/v1/wabas/${tenant.wabaId}/sync`);
    const { key } = await issueKey(gateway, tenant, { phone_number_ids: [`${tenant.phoneNumberId}9`] });
    assert.deepEqual((await list({ apiKey: key })).json.data, []);
    assertError(await remove({ apiKey: key }, json.id), 404, 'NOT_FOUND');
    assertError(await add(tenant, freshRecipient(), key), 403, 'FORBIDDEN');
  });

  it('malformed calls: 400 VALIDATION_ERROR', async () => {
    const tenant = await createTenant(gateway);
    for (const person of ['', 'Ada', '+1', 'US.']) assertError(await add(tenant, person), 400, 'VALIDATION_ERROR');
    for (const query of ['?after=1', '?limit=0', '?person=Ada']) {
      assertError(await list(tenant, query), 400, 'VALIDATION_ERROR');
    }
  });
});
