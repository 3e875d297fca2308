import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import pino from 'pino';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway } from '../../harness/fixtures.ts';
import {
  type Answer,
  admin,
  call,
  createTenant,
  freshRecipient,
  sendsTo,
  type Tenant,
  templateTo,
  until,
} from '../../harness/tenant.ts';

describe('keys where the Cloud API takes tokens', () => {
  const lines: string[] = [];
  const gateway = useGateway({
    settings: () => ({ log: pino({ level: 'trace' }, { write: (line) => void lines.push(line) }) }),
  });

  const without = (method: string, path: string, options: Parameters<typeof call>[4] = {}): Promise<Answer> =>
    call(gateway, undefined, method, path, options);
  const oauth = (apiKey: string) => ({ headers: { authorization: `OAuth ${apiKey}` } });
  const lenient = async (): Promise<Tenant> => {
    const tenant = await createTenant(gateway);
    await admin(gateway, 'PATCH', `/organizations/${tenant.organizationId}`, { cloud_api_credentials: true });
    return tenant;
  };

  it('organization without the setting: 401 for both, the same as for a wrong key', async () => {
    const { apiKey } = await createTenant(gateway);
    for (const answer of [
      await without('GET', `/v1/messages?access_token=${apiKey}`),
      await without('GET', '/v1/messages', oauth(apiKey)),
      await without('GET', '/v1/messages', oauth('wrong')),
      await without('GET', '/v1/messages?access_token=wrong&access_token=wrong'),
    ]) {
      assertError(answer, 401, 'UNAUTHORIZED', 190);
      assert.equal(answer.json.error.type, 'OAuthException');
    }
  });

  it('organization with the setting: sends, lists, events and uploads work with both', async () => {
    const tenant = await lenient();
    const { apiKey, phoneNumberId } = tenant;
    for (const [query, options] of [
      [`access_token=${apiKey}`, {}],
      ['', oauth(apiKey)],
    ] as const) {
      const to = freshRecipient();
      const path = `/v24.0/${phoneNumberId}/messages?${query}`;
      assert.equal((await without('POST', path, { ...options, body: templateTo(to) })).status, 202);
      await gateway.simulator.world.sends.waitFor(({ waId }) => waId === to.slice(1));
      assert.ok(!inspect(sendsTo(gateway, to), { depth: null }).includes(apiKey));
      assert.equal((await without('GET', `/v1/events?${query}`, options)).status, 200);
      const form = new FormData();
      form.set('messaging_product', 'whatsapp');
      form.set('file', new File(['hello'], 'hello.txt', { type: 'text/plain' }));
      const uploaded = await fetch(`${gateway.baseUrl}/v24.0/${phoneNumberId}/media?${query}`, {
        method: 'POST',
        body: form,
        ...('headers' in options && { headers: options.headers }),
      });
      assert.equal(uploaded.status, 200, await uploaded.text());
    }
  });

  it('the setting turned off: refused within a second, while the header goes on working', async () => {
    const tenant = await lenient();
    const path = `/v1/messages?access_token=${tenant.apiKey}`;
    assert.equal((await without('GET', path)).status, 200);
    await admin(gateway, 'PATCH', `/organizations/${tenant.organizationId}`, { cloud_api_credentials: false });
    await until('the key in the query is refused', async () =>
      (await without('GET', path)).status === 401 ? true : undefined,
    );
    assert.equal((await call(gateway, tenant, 'GET', '/v1/messages')).status, 200);
  });

  it('one connection, first a key in the query, then none: 401', async () => {
    const { apiKey } = await lenient();
    assert.equal((await without('GET', `/v1/messages?access_token=${apiKey}`)).status, 200);
    assertError(await without('GET', '/v1/messages'), 401, 'UNAUTHORIZED');
  });

  it('header and query: the header decides', async () => {
    const [one, other] = [await lenient(), await lenient()];
    const answer = await call(
      gateway,
      one,
      'GET',
      `/v1/${other.phoneNumberId}/windows/1555?access_token=${other.apiKey}`,
    );
    assertError(answer, 404, 'ACCOUNT_NOT_FOUND');
    const wrong = await without('GET', `/v1/messages?access_token=${one.apiKey}`, oauth('wrong'));
    assertError(wrong, 401, 'UNAUTHORIZED');
  });

  it('a key in a body: 400, not forwarded, whatever the settings', async () => {
    const tenant = await lenient();
    const to = freshRecipient();
    const body = { ...templateTo(to), access_token: tenant.apiKey };
    for (const path of [
      `/v1/${tenant.phoneNumberId}/messages`,
      `/v1/${tenant.phoneNumberId}/whatsapp_business_profile`,
    ]) {
      const answer = await call(gateway, tenant, 'POST', path, { body });
      assertError(answer, 400, 'VALIDATION_ERROR');
      assert.match(answer.json.message, /access_token/);
    }
    assert.equal(sendsTo(gateway, to).length, 0);
  });

  it('a key in the query: in no log line, no answer, no link', async () => {
    const tenant = await lenient();
    const { apiKey, wabaId, phoneNumberId } = tenant;
    const query = `access_token=${apiKey}`;
    const answers = [
      await without('GET', `/v24.0/${wabaId}/message_templates?limit=2&${query}`),
      await without('GET', `/v24.0/${phoneNumberId}?${query}`),
      await without('GET', `/v24.0/${phoneNumberId}/whatsapp_business_profile?${query}`),
      await without('GET', `/v24.0/nothing/here?${query}`),
      await without('PATCH', `/v1/messages?${query}`),
      await without('POST', `/v1/${phoneNumberId}/messages?${query}`, { body: '{' }),
      await without('GET', `/v24.0?${query}`),
    ];
    assert.ok(answers[0]?.json.paging.next);
    for (const { text } of answers) assert.ok(!text.includes(apiKey), text);
    assert.ok(lines.length > 0);
    assert.deepEqual(
      lines.filter((line) => line.includes(apiKey)),
      [],
    );
  });

  it('GET of a version alone: tells a valid key from a wrong one, as credential tests expect', async () => {
    const { apiKey } = await lenient();
    for (const path of ['/v24.0', '/v13.0/']) {
      const valid = await call(gateway, { apiKey }, 'GET', path);
      assert.notEqual(valid.json.error.type, 'OAuthException');
      const wrong = await call(gateway, { apiKey: 'wrong' }, 'GET', path);
      assert.deepEqual([wrong.status, wrong.json.error.type, wrong.json.error.code], [401, 'OAuthException', 190]);
    }
  });
});
