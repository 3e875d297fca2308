import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { API_KEY_PREFIX, makeToken } from '../../../src/http/index.ts';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, call, issueKey, templateTo } from '../../harness/tenant.ts';

describe('a missing, wrong or disabled API key', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  const routes = (): [method: string, path: string][] => [
    ['POST', `/v1/${tenant.phoneNumberId}/messages`],
    ['PUT', `/v1/${tenant.phoneNumberId}/messages`],
    ['GET', '/v1/messages/0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30'],
  ];
  const attempt = (authorization: string | undefined, [method, path]: [string, string]) =>
    call(gateway, undefined, method, path, {
      ...(method !== 'GET' && { body: templateTo('+15551230001') }),
      ...(authorization !== undefined && { headers: { authorization } }),
    });

  it('is refused in the same words for every fault, before any other check', async () => {
    const key = tenant.apiKey;
    const disabled = await issueKey(gateway, tenant);
    await admin(gateway, 'DELETE', `/api-keys/${disabled.id}`);
    const wrong = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key}x`,
      `Bearer ${key.toUpperCase()}`,
      `Basic ${Buffer.from(`x:${key}`).toString('base64')}`,
      key,
      `Bearer ${gateway.adminToken}`,
      `Bearer ${disabled.key}`,
      `Bearer ${makeToken(API_KEY_PREFIX)}`,
      'Bearer fw_live_00000000000000000000000000000000000000',
      'Bearer \u00ff',
    ];
    for (const route of routes()) {
      const texts = new Set<string>();
      for (const authorization of wrong) {
        const answer = await attempt(authorization, route);
        assertError(answer, 401, 'UNAUTHORIZED', 190);
        texts.add(textWithoutRequestId(answer));
      }
      assert.equal(texts.size, 1, [...texts].join('\n'));
    }
    assert.equal(gateway.simulator.world.sends.total, 0);
  });

  it('the scheme may be in any case', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
      const answer = await attempt(`${scheme} ${tenant.apiKey}`, routes()[0]!);
      assert.equal(answer.status, 202, answer.text);
    }
  });

  it('is reported before the body is read or checked', async () => {
    for (const body of ['not json', 'x'.repeat(2 * 1024 * 1024)]) {
      const answer = await call(gateway, undefined, 'POST', `/v1/${tenant.phoneNumberId}/messages`, { body });
      assertError(answer, 401, 'UNAUTHORIZED');
    }
  });
});
