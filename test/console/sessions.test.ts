import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sha256Hex } from '../../src/core/digest.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { assertError } from '../harness/assert-error.ts';
import { askAsPage, signIn } from '../harness/console.ts';
import { useFurtherNode, useGateway, useTenant } from '../harness/fixtures.ts';
import { createOperator } from '../harness/operator.ts';
import { admin, call, freshRecipient, issueKey, sendTemplate, until } from '../harness/tenant.ts';
import { createTickingClock } from '../harness/ticking-clock.ts';

describe('sessions of the console', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  it('an operator: signed in with the own role, reaches the admin API by the cookie', async () => {
    const operator = await createOperator(gateway, 'operator');
    const page = await signIn(gateway, { token: operator.token });
    assert.equal(page.signedIn.status, 200, page.signedIn.text);
    const { kind, role, name, organization, scopes, numbers, demo, simulator } = page.signedIn.json;
    assert.deepEqual(
      [kind, role, name, organization, scopes, numbers, demo, simulator],
      ['operator', 'operator', 'test operator', null, null, null, false, false],
    );
    assert.match(
      page.signedIn.headers.get('set-cookie') ?? '',
      /^fairway_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/,
    );
    assert.equal((await askAsPage(gateway, page, 'GET', '/admin/v1/me')).json.id, operator.id);
    assert.deepEqual((await askAsPage(gateway, page, 'GET', '/console/session')).json, page.signedIn.json);
    assertError(await askAsPage(gateway, page, 'GET', '/admin/v1/operators'), 403, 'FORBIDDEN');
    assertError(await askAsPage(gateway, page, 'GET', '/v1/messages'), 403, 'FORBIDDEN');
  });

  it('an API key: reaches its own organization only, within its limits', async () => {
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    const foreign = await sendTemplate(gateway, other, freshRecipient());
    const { key } = await issueKey(gateway, tenant, { scopes: ['messages:read'] });
    const page = await signIn(gateway, { token: key });
    const { kind, role, name, scopes, organization, numbers } = page.signedIn.json;
    assert.deepEqual([kind, role, name, scopes, numbers], ['key', null, 'test', ['messages:read'], null]);
    assert.equal(organization.id, tenant.organizationId);
    assert.equal((await askAsPage(gateway, page, 'GET', `/v1/messages/${id}`)).status, 200);
    assertError(await askAsPage(gateway, page, 'GET', `/v1/messages/${foreign}`), 404, 'NOT_FOUND');
    assertError(await askAsPage(gateway, page, 'GET', '/v1/webhooks'), 403, 'FORBIDDEN');
    assertError(await askAsPage(gateway, page, 'GET', '/admin/v1/me'), 401, 'UNAUTHORIZED');
  });

  it('ADMIN_TOKEN and the one-time link: an admin, the link once only', async () => {
    const page = await signIn(gateway, { token: gateway.adminToken });
    assert.deepEqual([page.signedIn.json.role, page.signedIn.json.name], ['admin', 'ADMIN_TOKEN']);
    const [, link = ''] = gateway.app.consoleLink().split('#link=');
    const linked = await signIn(gateway, { link });
    assert.equal(linked.signedIn.json.role, 'admin');
    assert.equal((await askAsPage(gateway, linked, 'GET', '/admin/v1/operators')).status, 200);
    assertError((await signIn(gateway, { link })).signedIn, 401, 'UNAUTHORIZED');
  });

  it('a cookie without the header, or from a foreign page → 403 for every method', async () => {
    const page = await signIn(gateway, { token: tenant.apiKey });
    const path = '/v1/messages/cancel';
    const foreign = [
      { 'fairway-console': '' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ];
    for (const headers of foreign) {
      assertError(await askAsPage(gateway, page, 'POST', path, { body: {}, headers }), 403, 'FORBIDDEN');
      assertError(await askAsPage(gateway, page, 'GET', '/v1/messages', { headers }), 403, 'FORBIDDEN');
      assertError(await askAsPage(gateway, page, 'GET', '/console/session', { headers }), 403, 'FORBIDDEN');
      assertError(
        await askAsPage(gateway, page, 'POST', '/console/session', { body: { token: tenant.apiKey }, headers }),
        403,
        'FORBIDDEN',
      );
    }
    const bare = { cookie: page.cookie, 'fairway-console': '1' };
    const ask = (origin: string) => call(gateway, undefined, 'GET', '/v1/messages', { headers: { ...bare, origin } });
    assertError(await ask('https://evil.example'), 403, 'FORBIDDEN');
    assert.equal((await ask(gateway.baseUrl)).status, 200);
    assert.equal((await call(gateway, undefined, 'GET', '/v1/messages', { headers: bare })).status, 200);
  });

  it('a signed-out, unknown or absent session → 401', async () => {
    const page = await signIn(gateway, { token: tenant.apiKey });
    const signedOut = await askAsPage(gateway, page, 'DELETE', '/console/session');
    assert.equal(signedOut.status, 204);
    assert.match(signedOut.headers.get('set-cookie') ?? '', /^fairway_session=; .*Max-Age=0$/);
    for (const cookie of [page.cookie, `fairway_session=${'A'.repeat(43)}`, 'fairway_session=x', 'other=1', '']) {
      assertError(await askAsPage(gateway, { cookie }, 'GET', '/console/session'), 401, 'UNAUTHORIZED');
      assertError(await askAsPage(gateway, { cookie }, 'GET', '/v1/messages'), 401, 'UNAUTHORIZED');
      assertError(await askAsPage(gateway, { cookie }, 'GET', '/admin/v1/me'), 401, 'UNAUTHORIZED');
    }
  });

  it('a revoked operator, a disabled key, a rotated token → the session ends with it', async () => {
    const operator = await createOperator(gateway, 'admin');
    const rotated = await createOperator(gateway, 'admin');
    const { id, key } = await issueKey(gateway, tenant);
    const pages = await Promise.all([operator.token, rotated.token, key].map((token) => signIn(gateway, { token })));
    await admin(gateway, 'DELETE', `/operators/${operator.id}`);
    await admin(gateway, 'POST', `/operators/${rotated.id}/rotate`);
    await admin(gateway, 'DELETE', `/api-keys/${id}`);
    for (const page of pages) {
      assert.equal(page.signedIn.status, 200);
      assertError(await askAsPage(gateway, page, 'GET', '/console/session'), 401, 'UNAUTHORIZED');
    }
  });

  it('the database: holds neither the secret of a session nor a token that can be tried out', async () => {
    const page = await signIn(gateway, { token: gateway.adminToken });
    const rows = await gateway.app.db.query<{ dump: string }>({
      text: "SELECT string_agg(encode(session_hash, 'escape') || encode(token_hash, 'hex'), ' ') AS dump FROM console_session",
    });
    const digest = sha256Hex(gateway.adminToken);
    assert.ok(!rows[0]?.dump.includes(page.cookie.slice(16)) && !rows[0]?.dump.includes(digest));
  });

  it('failed sign-ins of one address → 429 with the time to wait, a right token still works', async () => {
    const codes = new Set<number>();
    for (let count = 0; count < 110; count += 1) {
      codes.add((await signIn(gateway, { token: 'wrong' })).signedIn.status);
    }
    assert.deepEqual([...codes], [401, 429]);
    const { signedIn } = await signIn(gateway, { token: 'wrong' });
    assertError(signedIn, 429, 'RATE_LIMITED');
    assert.ok(Number(signedIn.headers.get('retry-after')) > 0);
    assert.equal((await signIn(gateway, { token: tenant.apiKey })).signedIn.status, 200);
  });
});

describe('sessions of the console on two nodes', () => {
  const clock = createTickingClock(Date.now());
  const gateway = useGateway({ clock, isOneOfSeveral: true, simulator: { clock: systemClock } });
  const other = useFurtherNode(gateway, { clock });
  const tenant = useTenant(gateway);
  after(() => clock.stop());

  it('signed out on one node → ended on the other within a second', async () => {
    const page = await signIn(gateway, { token: tenant.apiKey });
    assert.equal((await askAsPage(other, page, 'GET', '/v1/messages')).status, 200);
    await askAsPage(gateway, page, 'DELETE', '/console/session');
    const endedAt = clock.now();
    await until('the session has ended', async () =>
      (await askAsPage(other, page, 'GET', '/v1/messages')).status === 401 ? true : undefined,
    );
    assert.ok(clock.now() - endedAt <= 2_000);
  });

  it('half an hour without a request → ended; used on the other node → at most 12 hours', async () => {
    const [idle, busy] = await Promise.all([
      signIn(gateway, { token: tenant.apiKey }),
      signIn(gateway, { token: tenant.apiKey }),
    ]);
    const openedAt = clock.now();
    const statusAt = async (node: typeof gateway, page: typeof idle) =>
      (await askAsPage(node, page, 'GET', '/console/session')).status;
    for (let round = 0; round < 2; round += 1) {
      clock.advance(20 * 60_000);
      const usedAt = clock.now();
      assert.equal(await statusAt(other, busy), 200);
      await until('the use is stored', async () => {
        clock.advance(1_000);
        const rows = await gateway.app.db.query<{ newest: Date }>({
          text: 'SELECT max(used_at) AS newest FROM console_session',
        });
        return (rows[0]?.newest.getTime() ?? 0) >= usedAt ? true : undefined;
      });
    }
    assert.equal(await statusAt(gateway, idle), 401);
    assert.equal(await statusAt(gateway, busy), 200);
    while (clock.now() < openedAt + 12 * 3_600_000) {
      assert.equal(await statusAt(gateway, busy), 200);
      clock.advance(25 * 60_000);
    }
    assert.equal(await statusAt(gateway, busy), 401);
  });
});
