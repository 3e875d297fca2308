import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway } from '../../harness/fixtures.ts';
import {
  type Answer,
  admin,
  call,
  createTenant,
  freshRecipient,
  issueKey,
  send,
  type Tenant,
  templateTo,
  until,
} from '../../harness/tenant.ts';

const NIL = '/v1/messages/0199c0de-0000-7000-8000-000000000001';

describe('rate limits', () => {
  const gateway = useGateway();

  async function limited(plan: Record<string, number | null>): Promise<Tenant> {
    const tenant = await createTenant(gateway);
    await admin(gateway, 'PUT', `/organizations/${tenant.organizationId}/plan`, plan);
    return tenant;
  }

  const ask = (tenant: { apiKey: string }) => call(gateway, tenant, 'GET', NIL);

  async function untilLimited(tenant: { apiKey: string }): Promise<Answer> {
    return until('a request is refused', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask(tenant)));
      return answers.find((answer) => answer.status === 429);
    });
  }

  it('refuse with 429 RATE_LIMITED, Retry-After and both fields, and recover after that', async () => {
    const tenant = await limited({ requests_per_second: 2 });
    const refused = await untilLimited(tenant);
    assertError(refused, 429, 'RATE_LIMITED', 80007);
    assert.match(refused.json.message, /^The organization .* 2 a second/);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal(refused.headers.get('ratelimit-policy'), '"organization";q=2;w=1');
    assert.equal(refused.headers.get('ratelimit'), '"organization";r=0;t=1');
    const later = await until('a request is let through', async () => {
      const answer = await ask(tenant);
      return answer.status === 429 ? undefined : answer;
    });
    assert.equal(later.status, 404);
    assert.match(later.headers.get('ratelimit') ?? '', /^"organization";r=[01];t=1$/);
  });

  it('hold per key beside the organization; a used-up key does not affect the others', async () => {
    const tenant = await limited({ requests_per_second: 100_000, key_requests_per_second: 1 });
    const { key } = await issueKey(gateway, tenant);
    const refused = await untilLimited(tenant);
    assert.equal(refused.headers.get('ratelimit-policy'), '"organization";q=100000;w=1, "key";q=1;w=1');
    assert.match(refused.headers.get('ratelimit') ?? '', /^"organization";r=\d+;t=1, "key";r=0;t=1$/);
    assert.equal((await ask({ apiKey: key })).status, 404);
  });

  it('hold for the messages of one key: sends count, other requests and keys do not', async () => {
    const tenant = await createTenant(gateway);
    const { key: apiKey } = await issueKey(gateway, tenant, { messages_per_minute: 2 });
    const limited = { ...tenant, apiKey };
    for (const left of [1, 0]) {
      const sent = await send(gateway, limited, templateTo(freshRecipient()));
      assert.equal(sent.status, 202);
      assert.equal(sent.headers.get('ratelimit-policy'), '"key_messages";q=2;w=60');
      assert.match(sent.headers.get('ratelimit') ?? '', new RegExp(`^"key_messages";r=${left};t=\\d+$`));
    }
    const refused = await send(gateway, limited, templateTo(freshRecipient()));
    assertError(refused, 429, 'RATE_LIMITED', 80007);
    assert.match(refused.json.message, /^This API key may send 2 messages a minute/);
    assert.match(refused.headers.get('retry-after') ?? '', /^(?:[12]\d|30)$/);
    assert.match(refused.headers.get('ratelimit') ?? '', /^"key_messages";r=0;t=(?:[45]\d|60)$/);
    const read = await ask(limited);
    assert.deepEqual([read.status, read.headers.get('ratelimit')], [404, null]);
    assert.equal((await send(gateway, tenant, templateTo(freshRecipient()))).status, 202);
  });

  it('messages_per_minute of a key: listed, changed and lifted', async () => {
    const tenant = await createTenant(gateway);
    const { id, key: apiKey } = await issueKey(gateway, tenant, { messages_per_minute: 1 });
    const path = `/organizations/${tenant.organizationId}/api-keys`;
    const { data } = await admin<{ data: { messages_per_minute: number | null }[] }>(gateway, 'GET', path);
    assert.deepEqual(
      data.map(({ messages_per_minute }) => messages_per_minute),
      [1, null],
    );
    await send(gateway, { ...tenant, apiKey }, templateTo(freshRecipient()));
    await admin(gateway, 'PATCH', `/api-keys/${id}`, { messages_per_minute: null });
    const answer = await send(gateway, { ...tenant, apiKey }, templateTo(freshRecipient()));
    assert.deepEqual([answer.status, answer.headers.get('ratelimit')], [202, null]);
    for (const messages_per_minute of [0, -1, 1.5, '10']) {
      await assert.rejects(admin(gateway, 'PATCH', `/api-keys/${id}`, { messages_per_minute }), /400/);
    }
  });

  it('another organization: not affected; an organization without limits: no fields', async () => {
    const busy = await limited({ requests_per_second: 1 });
    const other = await createTenant(gateway);
    await untilLimited(busy);
    const answer = await ask(other);
    assert.equal(answer.status, 404);
    assert.equal(answer.headers.get('ratelimit'), null);
    assert.equal(answer.headers.get('ratelimit-policy'), null);
  });

  it('are lifted by null within a second, and an invalid rate is refused', async () => {
    const tenant = await limited({ requests_per_second: 1 });
    await untilLimited(tenant);
    await admin(gateway, 'PUT', `/organizations/${tenant.organizationId}/plan`, { requests_per_second: null });
    await until('the limit is gone', async () =>
      (await ask(tenant)).headers.get('ratelimit') === null ? true : undefined,
    );
    for (const value of [0, -1, 1.5, '10']) {
      await assert.rejects(
        admin(gateway, 'PUT', `/organizations/${tenant.organizationId}/plan`, { requests_per_second: value }),
        /400 .*requests_per_second/,
      );
    }
  });

  it('come after the key check: a request without a key gets only that error', async () => {
    const answer = await ask({ apiKey: 'fw_live_wrong' });
    assertError(answer, 401, 'UNAUTHORIZED');
    assert.equal(answer.headers.get('ratelimit'), null);
  });
});
