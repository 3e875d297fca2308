import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { exchangeRaw, parseRaw } from '../../harness/raw-http.ts';
import { call, freshRecipient, send, templateTo } from '../../harness/tenant.ts';

describe('paths, methods and request ids', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  it('an unknown path: 404 NOT_FOUND, with or without a key', async () => {
    for (const path of [
      '/',
      '/v1',
      '/v1/',
      '/v2/messages/x/y',
      '/v1/a/b/c',
      '/admin',
      '/admin/v1',
      '/admin/v1/nothing',
      '/.env',
      '//',
      '/v1//messages',
    ]) {
      for (const caller of [tenant, undefined]) {
        const answer = await call(gateway, caller, 'GET', path);
        assert.ok([401, 404].includes(answer.status), `${path}: ${answer.status}`);
        assertError(answer, answer.status, answer.status === 404 ? 'NOT_FOUND' : 'UNAUTHORIZED');
      }
    }
  });

  it('an unknown path: shown without its query, which may hold a secret', async () => {
    const answer = await call(gateway, tenant, 'GET', '/nowhere?access_token=EAAsecret');
    assertError(answer, 404, 'NOT_FOUND');
    assert.ok(!answer.text.includes('EAAsecret'));
  });

  it('an unknown path: same cost for one long segment and thousands of empty ones', async () => {
    const time = async (path: string) => {
      const startedAtMs = performance.now();
      const answer = await call(gateway, undefined, 'GET', path);
      const tookMs = performance.now() - startedAtMs;
      assertError(answer, 404, 'NOT_FOUND');
      return tookMs;
    };
    let [whole, splintered] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    const isAlike = () => splintered < 2 * whole + 1.5;
    // Takes the fastest of many rounds: a busy machine may delay every one of a few.
    for (let round = 0; round < 15 || (round < 500 && !isAlike()); round += 1) {
      whole = Math.min(whole, await time(`/${'a'.repeat(15_000)}`));
      splintered = Math.min(splintered, await time('/'.repeat(15_001)));
    }
    assert.ok(isAlike(), `${splintered} ms for the one, ${whole} ms for the other`);
  });

  it('a Cloud API path that is not served: named in the answer, with the alternative', async () => {
    for (const path of [
      `/v24.0/${tenant.wabaId}/assigned_users`,
      `/${tenant.phoneNumberId}/messages_encrypted`,
      '/v24.0/app/roles',
      '/v24.0/me',
    ]) {
      const answer = await call(gateway, tenant, 'POST', path, { body: '{}' });
      assertError(answer, 404, 'NOT_FOUND');
      assert.ok(
        answer.json.message.startsWith(
          `There is no ${path} here: ask the operator of this gateway, or the platform itself`,
        ),
        answer.json.message,
      );
    }
  });

  it('a batch request: refused as a batch', async () => {
    for (const path of ['/', '/v24.0/', '/v24.0']) {
      const answer = await call(gateway, tenant, 'POST', path, { body: 'batch=[]' });
      assertError(answer, 404, 'NOT_FOUND');
      assert.match(answer.json.message, /batch/);
    }
  });

  it('a path only under /v1, requested under a Cloud API version: the answer names /v1', async () => {
    for (const [method, path] of [
      ['POST', 'media/upload'],
      ['GET', 'messages/0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30'],
      ['GET', 'templates/'],
    ] as const) {
      const answer = await call(gateway, tenant, method, `/v24.0/${path}`);
      assertError(answer, 404, 'NOT_FOUND');
      assert.equal(answer.json.message, `There is no /v24.0/${path} here: ask /v1/${path.replace(/\/$/, '')}.`);
    }
  });

  it('a path without its leading id, or with another value in its place: reported', async () => {
    const [ofNumber, ofAccount] = ['{phoneNumberId}', '{wabaId}'];
    for (const [method, path, status, where] of [
      ['POST', '/messages', 404, `${ofNumber}/messages`],
      ['POST', '/v24.0/messages/', 404, `${ofNumber}/messages`],
      ['POST', '/v1/messages', 405, `${ofNumber}/messages`],
      ['POST', '/v1/media', 404, `${ofNumber}/media`],
      ['POST', '/v1/message_templates', 404, `${ofAccount}/message_templates`],
      ['GET', '/phone_numbers', 404, `${ofAccount}/phone_numbers`],
      // Values in a path if a setting is missing, or if it is the number itself.
      ['POST', '/v24.0/undefined/messages', 404, `${ofNumber}/messages`],
      ['POST', '/v24.0//messages', 404, `${ofNumber}/messages`],
      ['POST', '/v24.0/+12025550100/messages', 404, `${ofNumber}/messages`],
      ['POST', '/%7Bid%7D/media/', 404, `${ofNumber}/media`],
      ['DELETE', '/v24.0/null/message_templates', 404, `${ofAccount}/message_templates`],
    ] as const) {
      const answer = await call(gateway, tenant, method, path, method === 'GET' ? {} : { body: '{}' });
      assertError(answer, status, status === 404 ? 'NOT_FOUND' : 'METHOD_NOT_ALLOWED');
      assert.ok(answer.json.message.endsWith(`: ask /v1/${where}.`), answer.json.message);
    }
  });

  it('an id before a path that takes none: reported', async () => {
    const { phoneNumberId, wabaId } = tenant;
    for (const [method, path, status, where] of [
      ['GET', `/v1/${phoneNumberId}/messages`, 405, 'messages'],
      ['GET', `/v1/${phoneNumberId}/messages/1`, 404, 'messages/1'],
      ['POST', `/v24.0/${phoneNumberId}/messages/1/cancel`, 404, 'messages/1/cancel'],
      ['GET', `/v1/${wabaId}/templates`, 405, 'templates'],
      ['GET', `/v23.0/${wabaId}/message_templates/1/`, 404, 'templates/1'],
      ['DELETE', `/${wabaId}/message_templates/1`, 404, 'templates/1'],
    ] as const) {
      const answer = await call(gateway, tenant, method, path, method === 'GET' ? {} : { body: '{}' });
      assertError(answer, status, status === 404 ? 'NOT_FOUND' : 'METHOD_NOT_ALLOWED');
      assert.ok(answer.json.message.endsWith(`: ask /v1/${where}.`), answer.json.message);
    }
  });

  it('a file requested under media: the answer says that its id is the whole path', async () => {
    for (const path of ['/v1/media/123', '/v24.0/media/123/', '/media/123']) {
      for (const method of ['GET', 'DELETE']) {
        const answer = await call(gateway, tenant, method, path);
        assertError(answer, 404, 'NOT_FOUND');
        assert.equal(answer.json.message, `There is no ${path} here: ask /v1/123.`);
      }
      const posted = await call(gateway, tenant, 'POST', path, { body: '{}' });
      assert.ok(!posted.json.message.includes('/v1/123'), posted.json.message);
    }
  });

  it('a base URL that ends in a slash: works for Cloud API clients', async () => {
    const { phoneNumberId } = tenant;
    for (const path of [`//v24.0/${phoneNumberId}`, `//${phoneNumberId}`, `/v24.0//${phoneNumberId}/`]) {
      const answer = await call(gateway, tenant, 'GET', `${path}?fields=id`);
      assert.deepEqual(answer.json, { id: phoneNumberId });
    }
  });

  it('a trailing slash: changes nothing, even if it could mean an empty id', async () => {
    for (const path of ['messages', 'templates', 'webhooks', 'events']) {
      const [plain, slashed] = await Promise.all([
        call(gateway, tenant, 'GET', `/v1/${path}?limit=1`),
        call(gateway, tenant, 'GET', `/v1/${path}/?limit=1`),
      ]);
      assert.equal(slashed.status, 200, `${path}: ${slashed.text}`);
      assert.deepEqual(slashed.json.data, plain.json.data);
      const stranger = await call(gateway, undefined, 'GET', `/v1/${path}/`);
      assertError(stranger, 401, 'UNAUTHORIZED');
    }
    const cancelled = await call(gateway, tenant, 'POST', '/v1/messages/cancel/', { body: '{"template":"none"}' });
    assert.equal(cancelled.status, 202, cancelled.text);
    const sent = await call(gateway, tenant, 'POST', '/v1/messages/', { body: '{}' });
    assertError(sent, 405, 'METHOD_NOT_ALLOWED');
    assert.equal(sent.json.message, 'POST is not possible on /v1/messages/: ask /v1/{phoneNumberId}/messages.');
    assert.equal(sent.headers.get('allow'), 'GET, HEAD');
  });

  it('a method that a path lacks: 405 METHOD_NOT_ALLOWED with Allow', async () => {
    const paths: [string, string, string][] = [
      ['GET', `/v1/${tenant.phoneNumberId}/messages`, 'POST'],
      ['DELETE', `/v24.0/${tenant.phoneNumberId}/messages`, 'POST'],
      ['POST', '/v1/messages/0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30', 'GET'],
      ['DELETE', '/admin/v1/organizations', 'POST'],
      ['POST', '/healthz', 'GET'],
      ['PATCH', '/webhooks/upstream', 'POST'],
    ];
    for (const [method, path, allowed] of paths) {
      const answer = await call(gateway, tenant, method, path, method === 'GET' ? {} : { body: '{}' });
      assertError(answer, 405, 'METHOD_NOT_ALLOWED');
      assert.ok(
        answer.headers.get('allow')?.split(', ').includes(allowed),
        `${method} ${path}: ${answer.headers.get('allow')}`,
      );
      const where = method === 'GET' ? ': ask /v1/messages' : `, only ${answer.headers.get('allow')}`;
      assert.equal(answer.json.message, `${method} is not possible on ${path}${where}.`);
    }
  });

  it('a word instead of an id: not requested from the platform', async () => {
    for (const [method, path, status] of [
      ['DELETE', '/v1/webhooks', 405],
      ['DELETE', '/v24.0/messages', 404],
      ['GET', '/v1/figures', 404],
    ] as const) {
      const answer = await call(gateway, tenant, method, path);
      assertError(answer, status, status === 404 ? 'NOT_FOUND' : 'METHOD_NOT_ALLOWED');
      assert.ok(answer.json.message.includes(path), answer.json.message);
    }
  });

  it('a path: never said to lack a method that Allow names', async () => {
    for (const [method, path, allow] of [
      ['POST', '/v1/messages', 'GET, HEAD'],
      ['PUT', '/v1/templates', 'GET, HEAD'],
      ['POST', '/v1/media', null],
      ['POST', '/v24.0/nothing', null],
    ] as const) {
      const answer = await call(gateway, tenant, method, path, { body: '{}' });
      assertError(answer, allow === null ? 404 : 405, allow === null ? 'NOT_FOUND' : 'METHOD_NOT_ALLOWED');
      assert.equal(answer.headers.get('allow'), allow);
    }
  });

  it('every answer: names its request by a different id', async () => {
    const answers = [
      await send(gateway, tenant, templateTo(freshRecipient())),
      await send(gateway, tenant, 'x'),
      await call(gateway, undefined, 'GET', '/healthz'),
      await call(gateway, undefined, 'GET', '/openapi.json'),
      await call(gateway, undefined, 'GET', '/nowhere'),
      await call(gateway, undefined, 'POST', '/webhooks/upstream', { body: '{}' }),
      await call(gateway, undefined, 'GET', '/v1/%zz/messages'),
      await call(gateway, tenant, 'GET', `/v1/messages/${'x'.repeat(400)}`),
    ];
    const ids = answers.map((answer) => answer.headers.get('x-request-id'));
    for (const [index, id] of ids.entries()) assert.ok(id, `answer ${index} has no x-request-id`);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('a request with an absolute URL, as from proxies: served like one with a path', async () => {
    for (const path of ['/v1/templates', `/v1/${tenant.phoneNumberId}`, `/v24.0/${tenant.phoneNumberId}/?fields=id`]) {
      const text = await exchangeRaw(
        gateway,
        `GET http://elsewhere.example:81${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n` +
          `authorization: Bearer ${tenant.apiKey}\r\n\r\n`,
      );
      assert.equal(parseRaw(text).status, 200, `${path}: ${text}`);
    }
    const text = await exchangeRaw(gateway, 'GET http://x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    assert.equal(parseRaw(text).status, 404);
  });

  it('an undecodable path: 400 VALIDATION_ERROR, whatever operation it resembles', async () => {
    for (const path of ['/v1/%/messages', '/v1/%zz/messages', '/v1/%c3%28/messages', '/v1/templates/%zz', '/%']) {
      assertError(await call(gateway, tenant, 'POST', path, { body: '{}' }), 400, 'VALIDATION_ERROR');
      assertError(await call(gateway, undefined, 'GET', path), 400, 'VALIDATION_ERROR');
    }
  });

  it('an overlong id: answered like any other unknown id', async () => {
    const id = '9'.repeat(2_000);
    const body = templateTo('+15551230001');
    assertError(await call(gateway, tenant, 'POST', `/v1/${id}/messages`, { body }), 404, 'ACCOUNT_NOT_FOUND');
    assertError(await call(gateway, undefined, 'POST', `/v1/${id}/messages`, { body }), 401, 'UNAUTHORIZED');
    for (const path of [`/v1/templates/${id}`, `/v1/${id}`, `/v1/media/${id}/download`, `/v1/${id}/phone_numbers`]) {
      assertError(await call(gateway, tenant, 'GET', path), 404, 'NOT_FOUND');
    }
    assertError(await call(gateway, tenant, 'DELETE', `/v1/${id}`), 404, 'NOT_FOUND');
  });

  it("a client's x-request-id: not adopted", async () => {
    const answer = await call(gateway, undefined, 'GET', '/healthz', { headers: { 'x-request-id': 'mine' } });
    assert.notEqual(answer.headers.get('x-request-id'), 'mine');
  });

  it('liveness and readiness: need no key', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await call(gateway, undefined, 'GET', path);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.json, { status: 'ok' });
    }
  });
});
