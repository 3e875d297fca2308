import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway } from '../../harness/fixtures.ts';
import { call, createTenant, type Tenant } from '../../harness/tenant.ts';

describe('limits of calls that are passed on', () => {
  const gateway = useGateway();
  const profile = (tenant: Tenant, method = 'GET') =>
    call(
      gateway,
      tenant,
      method,
      `/v1/${tenant.phoneNumberId}/whatsapp_business_profile`,
      method === 'GET' ? {} : { body: { about: 'x' } },
    );
  const fault = (tenant: Tenant, seed: Parameters<typeof gateway.simulator.world.addFault>[0]['fault']) =>
    gateway.simulator.world.addFault({ fault: seed, scope: { phoneNumberId: tenant.phoneNumberId }, times: 1 });

  it("an account without a registered number: 180 calls an hour, then 429; messages' calls go on", async () => {
    const tenant = await createTenant(gateway, { number: { status: 'PENDING' } });
    for (let sent = 0; sent < 180; sent += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => profile(tenant)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    }
    const held = await profile(tenant);
    assertError(held, 429, 'RATE_LIMITED');
    assert.ok(Number(held.headers.get('retry-after')) <= 3600);
    const permission = await call(gateway, tenant, 'GET', `/v1/${tenant.phoneNumberId}/call_permissions?user_wa_id=1`);
    assert.equal(permission.status, 200);
  });

  it("the platform's throttle: passed on, and then heeded", async () => {
    const tenant = await createTenant(gateway);
    fault(tenant, { kind: 'error', code: 80008 });
    const throttled = await profile(tenant);
    assert.equal(throttled.json.error.code, 80008);
    assertError(await profile(tenant), 429, 'RATE_LIMITED');
  });

  it('no answer: 503, and for a change that it may have happened', async () => {
    const tenant = await createTenant(gateway);
    fault(tenant, { kind: 'reset_after' });
    assertError(await profile(tenant), 503, 'UNAVAILABLE');
    fault(tenant, { kind: 'reset_after' });
    const doubtful = await profile(tenant, 'POST');
    assertError(doubtful, 503, 'UNAVAILABLE');
    assert.match(doubtful.json.message, /may have taken effect/);
  });

  it('an answer beyond 4 MiB, and a redirect: 503', async () => {
    const tenant = await createTenant(gateway);
    fault(tenant, { kind: 'http', httpStatus: 200, body: 'x'.repeat(5 * 1024 * 1024) });
    assertError(await profile(tenant), 503, 'UNAVAILABLE');
    fault(tenant, { kind: 'http', httpStatus: 302, body: '' });
    assertError(await profile(tenant), 503, 'UNAVAILABLE');
  });

  it("a refused token: the gateway's own error, and no token in it", async () => {
    const tenant = await createTenant(gateway);
    fault(tenant, { kind: 'error', code: 190 });
    const refused = await profile(tenant);
    assertError(refused, 422, 'PROVIDER_REJECTED');
    assert.ok(!refused.text.includes('EAA'));
  });

  it('a token that the platform puts into its answer: replaced', async () => {
    const tenant = await createTenant(gateway);
    const token = gateway.simulator.world.accounts.findWaba(tenant.wabaId)?.accessToken ?? '';
    const next = `https://graph.facebook.com/v24.0/1/x?access_token=${token}&after=a`;
    const body = JSON.stringify({ error: { message: `Malformed access token ${token}`, code: 100 }, paging: { next } });
    fault(tenant, { kind: 'http', httpStatus: 400, body, contentType: 'application/json' });
    const { text } = await profile(tenant);
    assert.ok(!text.includes(token), text);
    assert.match(text, /Malformed access token \[token\]/);
    assert.ok(text.includes(`${gateway.baseUrl}/v1/${tenant.phoneNumberId}/whatsapp_business_profile?after=a`), text);
  });
});
