import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { call, createTenant, type Tenant } from '../../harness/tenant.ts';
import { createWebhook } from './webhook-endpoint.ts';

const URL_OF = (name: string) => `https://hooks.example.com/${name}`;

describe('webhook endpoints', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const stranger = useTenant(gateway);

  it('are registered with a secret that is shown once', async () => {
    const body = {
      url: URL_OF('a'),
      description: 'Büro',
      events: ['message.failed'],
      waba_ids: ['71'],
      rate_per_second: 2.5,
    };
    const created = await call(gateway, tenant, 'POST', '/v1/webhooks', { body });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.headers.get('cache-control'), 'no-store');
    assert.match(created.json.secret, /^whsec_/);
    const { secret, ...shown } = created.json;
    assert.deepEqual(
      { ...shown, id: undefined, created_at: undefined, updated_at: undefined },
      {
        id: undefined,
        url: URL_OF('a'),
        description: 'Büro',
        events: ['message.failed'],
        phone_number_ids: null,
        waba_ids: ['71'],
        format: 'standard',
        signing: 'hmac',
        message_ids: 'upstream',
        phone_numbers: 'upstream',
        ordered: false,
        rate_per_second: 2.5,
        status: 'enabled',
        disabled_at: null,
        disabled_reason: null,
        failing_since: null,
        created_at: undefined,
        updated_at: undefined,
      },
    );
    const read = await call(gateway, tenant, 'GET', `/v1/webhooks/${created.json.id}`);
    assert.deepEqual(read.json, shown);
    const rows = await gateway.app.db.query<{ row: string }>({ text: 'SELECT e::text AS row FROM webhook_endpoint e' });
    for (const { row } of rows)
      assert.doesNotMatch(row, new RegExp(Buffer.from(secret).toString('hex')), 'sealed at rest');
  });

  it('with ed25519: show a public key and no secret', async () => {
    const created = await createWebhook(gateway, tenant, { url: URL_OF('b'), signing: 'ed25519' });
    assert.match(created.public_key ?? '', /^whpk_/);
    assert.equal(created.secret, undefined);
    const read = await call(gateway, tenant, 'GET', `/v1/webhooks/${created.id}`);
    assert.equal(read.json.public_key, created.public_key);
  });

  it('are changed member by member', async () => {
    const { id } = await createWebhook(gateway, tenant, {
      url: URL_OF('c'),
      events: ['message.read'],
      description: 'x',
    });
    const changed = await call(gateway, tenant, 'PATCH', `/v1/webhooks/${id}`, {
      body: { url: URL_OF('d'), events: null, ordered: true, disabled: true },
    });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.json.url, URL_OF('d'));
    assert.equal(changed.json.events, null);
    assert.equal(changed.json.ordered, true);
    assert.equal(changed.json.description, 'x');
    assert.deepEqual([changed.json.status, changed.json.disabled_reason], ['disabled', 'owner']);
    const enabled = await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/enable`, { body: { rate_per_second: 9 } });
    assert.deepEqual([enabled.json.status, enabled.json.rate_per_second], ['enabled', 9]);
    assert.equal((await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/enable`)).json.rate_per_second, 9);
  });

  it('are deleted', async () => {
    const { id } = await createWebhook(gateway, tenant, { url: URL_OF('e') });
    assert.equal((await call(gateway, tenant, 'DELETE', `/v1/webhooks/${id}`)).status, 204);
    assertError(await call(gateway, tenant, 'GET', `/v1/webhooks/${id}`), 404, 'NOT_FOUND');
    assertError(await call(gateway, tenant, 'DELETE', `/v1/webhooks/${id}`), 404, 'NOT_FOUND');
  });

  it("are listed newest first, page by page, only the caller's own", async () => {
    const owner = await createTenant(gateway);
    await createWebhook(gateway, stranger, { url: URL_OF('foreign') });
    const ids: string[] = [];
    for (const name of ['1', '2', '3']) ids.unshift((await createWebhook(gateway, owner, { url: URL_OF(name) })).id);
    const first = await call(gateway, owner, 'GET', '/v1/webhooks?limit=2');
    const second = await call(gateway, owner, 'GET', `/v1/webhooks?limit=2&after=${first.json.next}`);
    assert.deepEqual(
      [...first.json.data, ...second.json.data].map((endpoint) => endpoint.id),
      ids,
    );
    assert.equal(second.json.next, null);
  });

  it("fifty per organization at most, without others' endpoints and deleted ones", async () => {
    const owner = await createTenant(gateway);
    const create = (caller: Tenant) => call(gateway, caller, 'POST', '/v1/webhooks', { body: { url: URL_OF('one') } });
    const made = await Promise.all(Array.from({ length: 50 }, () => create(owner)));
    assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]));
    assertError(await create(owner), 409, 'CONFLICT');
    assert.equal((await create(stranger)).status, 201);
    await call(gateway, owner, 'DELETE', `/v1/webhooks/${made[0]!.json.id}`);
    assert.equal((await create(owner)).status, 201);
  });

  it("another organization's: answered on every route like an unknown endpoint", async () => {
    const { id } = await createWebhook(gateway, tenant, { url: URL_OF('f') });
    const routes: [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', { description: 'mine' }],
      ['DELETE', ''],
      ['POST', '/enable'],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
      ['GET', '/deliveries'],
      ['POST', '/replay', { failed_since: '2026-01-01T00:00:00Z' }],
    ];
    for (const [method, path, body] of routes) {
      const foreign = await call(gateway, stranger, method, `/v1/webhooks/${id}${path}`, { body });
      const absent = await call(gateway, stranger, method, `/v1/webhooks/0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30${path}`, {
        body,
      });
      assertError(foreign, 404, 'NOT_FOUND');
      assert.equal(foreign.json.message, absent.json.message);
      assertError(await call(gateway, undefined, method, `/v1/webhooks/${id}${path}`, { body }), 401, 'UNAUTHORIZED');
      assertError(await call(gateway, tenant, method, `/v1/webhooks/no-uuid${path}`, { body }), 400, 'INVALID_ID');
    }
    assert.equal((await call(gateway, tenant, 'GET', `/v1/webhooks/${id}`)).json.description, null);
  });

  it('are refused with invalid settings', async () => {
    const url = URL_OF('g');
    const bodies: unknown[] = [
      {},
      { url: 7 },
      { url, events: [] },
      { url, events: ['message.eaten'] },
      { url, events: ['webhook.test'] },
      { url, format: 'cloud_api', signing: 'ed25519' },
      { url, format: 'xml' },
      { url, message_ids: 'gateway' },
      { url, format: 'cloud_api', message_ids: 'mine' },
      { url, phone_numbers: 'e164' },
      { url, format: 'cloud_api', phone_numbers: 'national' },
      { url, rate_per_second: 0 },
      { url, rate_per_second: -1 },
      { url, rate_per_second: 1e-300 },
      { url, phone_number_ids: ['x'] },
      { url, ordered: 'yes' },
      { url, description: 'a\u0000b' },
      { url, description: 'a\ud83d' },
      { url, secret: 'whsec_mine' },
      '[]',
      '{"url":',
    ];
    for (const body of bodies) {
      assertError(await call(gateway, tenant, 'POST', '/v1/webhooks', { body }), 400, 'VALIDATION_ERROR');
    }
    const { id } = await createWebhook(gateway, tenant, { url });
    for (const body of [
      { format: 'cloud_api' },
      { message_ids: 'gateway' },
      { phone_numbers: 'e164' },
      { disabled: false },
      { url: 'http://example.com' },
      { id: 'x' },
    ]) {
      assertError(await call(gateway, tenant, 'PATCH', `/v1/webhooks/${id}`, { body }), 400, 'VALIDATION_ERROR');
    }
    const refusedReplays: [object, RegExp][] = [
      [{}, /must have "event_id", or must have "from", or must have "failed_since"/],
      [{ id: 'evt_x' }, /must have "event_id".*must not have "id"/],
      [{ event_id: 'x', from: '2026-01-01T00:00:00Z' }, /must not have "from", or must not have "event_id"/],
      [{ from: 'yesterday' }, /^"from" must be a time like/],
      [{ from: '2026-01-01', to: '2026-01-02' }, /^"from" must be a time like/],
      [{ failed_since: '2026-13-01T00:00:00Z' }, /^"failed_since" must be a time like/],
    ];
    for (const [body, message] of refusedReplays) {
      const answer = await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/replay`, { body });
      assertError(answer, 400, 'VALIDATION_ERROR');
      assert.match(answer.json.message, message);
    }
    for (const query of ['?after=x', '?limit=0', '?status=lost', '?type=x', '?from=now', '?after=s', '?after=p']) {
      assertError(await call(gateway, tenant, 'GET', `/v1/webhooks/${id}/deliveries${query}`), 400, 'VALIDATION_ERROR');
    }
  });

  it('require a public https address', async () => {
    const refused: [string, RegExp][] = [
      ['http://hooks.example.com/', /https/],
      ['ftp://hooks.example.com/', /https/],
      ['//hooks.example.com/', /absolute/],
      ['hooks.example.com', /absolute/],
      ['https://user:pw@hooks.example.com/', /user name/],
      ['https://hooks.example.com:22/', /port/],
      ['https://127.0.0.1/', /address/],
      ['https://2130706433/', /address/],
      ['https://0x7f000001/', /address/],
      ['https://017700000001/', /address/],
      ['https://127.1/', /address/],
      ['https://[::1]/', /address/],
      ['https://[::ffff:127.0.0.1]/', /address/],
      ['https://[64:ff9b::7f00:1]/', /address/],
      ['https://10.0.0.1/', /address/],
      ['https://169.254.169.254/latest/meta-data/', /address/],
      ['https://168.63.129.16/', /address/],
      ['https://\uff11\uff12\uff17.0.0.1/', /address/],
      ['https://localhost/', /host/],
      ['http://localhost:3000/', /FETCH_ALLOW_CIDRS/],
      ['https://database/', /host/],
      ['https://metadata.google.internal/', /host/],
      ['https://hooks.example.com./', /host/],
      ['https://hooks.example.com/ a', /white space/],
    ];
    for (const [url, reason] of refused) {
      const answer = await call(gateway, tenant, 'POST', '/v1/webhooks', { body: { url } });
      assertError(answer, 400, 'VALIDATION_ERROR');
      assert.match(answer.json.message, reason, url);
    }
  });
});
