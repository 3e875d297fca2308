import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { askAsPage, signIn } from '../../harness/console.ts';
import { fill, useGateway, useTenant } from '../../harness/fixtures.ts';
import { createOperator } from '../../harness/operator.ts';
import {
  call,
  freshRecipient,
  pause,
  queueOf,
  resume,
  type Tenant,
  templateTo,
  textTo,
  until,
  untilStatus,
} from '../../harness/tenant.ts';

describe('operators who act for an organization', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);
  const operator = fill(() => createOperator(gateway, 'operator'));
  const support = fill(() => createOperator(gateway, 'support'));

  const as = (
    token: string,
    { organizationId }: Pick<Tenant, 'organizationId'>,
    method: string,
    path: string,
    body?: unknown,
  ) =>
    call(gateway, { apiKey: token }, method, path, {
      headers: { 'fairway-organization': organizationId },
      ...(body !== undefined && { body }),
    });

  it('a send by an operator: goes out as the organization, under no key', async () => {
    await pause(gateway, tenant);
    const path = `/v1/${tenant.phoneNumberId}/messages`;
    const sent = await as(operator.token, tenant, 'POST', path, templateTo(freshRecipient()));
    assert.equal(sent.status, 202, sent.text);
    const { id } = sent.json.messages[0];
    const { flows } = (await queueOf(gateway, tenant)) as unknown as { flows: { api_key_id: string | null }[] };
    assert.deepEqual(
      flows.map((flow) => flow.api_key_id),
      [null],
    );
    await resume(gateway, tenant);
    await untilStatus(gateway, tenant, id, 'delivered', 'read');
    assert.equal((await as(operator.token, tenant, 'GET', `/v1/messages/${id}`)).json.id, id);
    assertError(await as(operator.token, other, 'GET', `/v1/messages/${id}`), 404, 'NOT_FOUND');
    assertError(await as(operator.token, other, 'POST', path, templateTo(freshRecipient())), 404, 'ACCOUNT_NOT_FOUND');
  });

  it('ADMIN_TOKEN and a session: act alike', async () => {
    assert.equal((await as(gateway.adminToken, tenant, 'GET', '/v1/webhooks')).status, 200);
    const page = await signIn(gateway, { token: operator.token });
    const headers = { 'fairway-organization': tenant.organizationId };
    assert.equal((await askAsPage(gateway, page, 'GET', '/v1/webhooks', { headers })).status, 200);
    const created = await askAsPage(gateway, page, 'POST', '/v1/webhooks', {
      headers,
      body: { url: 'https://hooks.example.com/x', events: ['message.failed'] },
    });
    assert.equal(created.status, 201, created.text);
    const ids = async (caller: Tenant) =>
      (await call(gateway, caller, 'GET', '/v1/webhooks')).json.data.map(({ id }: { id: string }) => id);
    assert.deepEqual([await ids(tenant), await ids(other)], [[created.json.id], []]);
  });

  it('an organization that does not exist, or a key with the header → 403', async () => {
    for (const organizationId of ['0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30', 'abc', '']) {
      assertError(await as(operator.token, { organizationId }, 'GET', '/v1/messages'), 403, 'FORBIDDEN');
    }
    assertError(await as(tenant.apiKey, other, 'GET', '/v1/messages'), 403, 'FORBIDDEN');
    assertError(await as(tenant.apiKey, tenant, 'GET', '/v1/messages'), 403, 'FORBIDDEN');
    const page = await signIn(gateway, { token: tenant.apiKey });
    const headers = { 'fairway-organization': other.organizationId };
    assertError(await askAsPage(gateway, page, 'GET', '/v1/messages', { headers }), 403, 'FORBIDDEN');
    assertError(await as(`${tenant.apiKey}x`, other, 'GET', '/v1/messages'), 401, 'UNAUTHORIZED');
  });

  it('support: reads masked messages, events and timelines, changes nothing', async () => {
    const to = freshRecipient();
    const { wamid } = await gateway.simulator.world.inbound({
      phoneNumberId: tenant.phoneNumberId,
      from: to,
      text: 'secret 4711',
      profileName: 'Ada Example',
    });
    const path = `/v1/${tenant.phoneNumberId}/messages`;
    const sent = await call(gateway, tenant, 'POST', path, {
      body: { ...textTo(to, 'secret 4712'), biz_opaque_callback_data: 'secret 4713' },
    });
    const { id } = sent.json.messages[0];
    await untilStatus(gateway, tenant, id, 'delivered', 'read');
    const digits = to.slice(1);
    const pages = ['/v1/messages', `/v1/messages/${id}`, `/v1/messages/${id}/timeline`, `/v1/messages/${id}/body`];
    pages.push('/v1/events?limit=500');
    pages.push(`/v1/${tenant.phoneNumberId}/windows/${to}`, `/v1/messages?message_id=${encodeURIComponent(wamid)}`);
    for (const page of pages) {
      const answer = await as(support.token, tenant, 'GET', page);
      assert.equal(answer.status, 200, page);
      assert.ok(answer.json !== undefined, page);
      assert.doesNotMatch(answer.text, /secret|Ada Example/, page);
      assert.ok(!answer.text.includes(digits), page);
      assert.doesNotMatch(answer.text, /wamid\.\w/, page);
      assert.ok(!answer.text.includes(tenant.phoneNumber), page);
    }
    const shown = await as(support.token, tenant, 'GET', `/v1/messages/${id}`);
    assert.equal(shown.json.recipient_phone, `•••${digits.slice(-2)}`);
    assert.equal(shown.json.content.text.body ?? shown.json.content.text, '•••');
    assert.match((await as(operator.token, tenant, 'GET', `/v1/messages/${id}`)).text, /secret 4712/);
    assertError(await as(support.token, tenant, 'POST', path, templateTo(to)), 403, 'FORBIDDEN');
    assertError(await as(support.token, tenant, 'POST', `/v1/messages/${id}/cancel`), 403, 'FORBIDDEN');
    assertError(await as(support.token, tenant, 'POST', '/v1/messages/cancel', {}), 403, 'FORBIDDEN');
  });

  it('guesses of ADMIN_TOKEN with the header: limited like those at the admin API', async () => {
    const status = await until('an answer 429', async () => {
      const answer = await as('guess', tenant, 'GET', '/v1/messages');
      return answer.status === 401 ? undefined : answer.status;
    });
    assert.equal(status, 429);
    assert.equal((await as(gateway.adminToken, tenant, 'GET', '/v1/messages')).status, 200);
  });
});
