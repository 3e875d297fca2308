import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { systemClock } from '../../src/core/time/clock.ts';
import { assertError } from '../harness/assert-error.ts';
import { useFurtherNode, useTenant } from '../harness/fixtures.ts';
import { type Account, PUBLIC_CLIENT, startIdentityProvider } from '../harness/identity-provider.ts';
import { admin, askAdmin, until } from '../harness/tenant.ts';
import { createTickingClock } from '../harness/ticking-clock.ts';
import { WebWalk } from '../harness/web-walk.ts';
import { ADA, ask, begin, EVE, GRACE, refusalOf, SAM, signInAs, toCallback, useOidc } from './oidc-walk.ts';

describe('sign-in by the identity provider', () => {
  const world = useOidc();
  const { gateway, provider } = world;
  const tenant = useTenant(gateway);

  const operatorOf = async ({ sub }: Account) => {
    const { data } = await admin<{ data: { id: string; identity: { subject: string } | null }[] }>(
      gateway,
      'GET',
      '/operators?limit=100',
    );
    return data.find(({ identity }) => identity?.subject === sub);
  };

  for (const [person, role] of [
    [ADA, 'admin'],
    [GRACE, 'operator'],
    [SAM, 'support'],
  ] as const) {
    it(`a person with a group of ${role}: signed in with this role and listed as an operator`, async () => {
      const { walk, returned } = await signInAs(world, person, { returnTo: 'messages?status=failed' });
      assert.equal(returned.status, 303);
      assert.equal(returned.headers.get('location'), `${gateway.baseUrl}/console/messages?status=failed`);
      assert.equal(returned.headers.get('referrer-policy'), 'no-referrer');
      assert.equal(returned.headers.get('cache-control'), 'no-store');
      const session = await ask(gateway, walk, 'GET', '/console/session');
      assert.deepEqual([session.json.role, session.json.name], [role, person.name]);
      const operator = await operatorOf(person);
      assert.deepEqual(operator?.identity, { issuer: provider.issuer, subject: person.sub, email: person.email });
      assert.equal((await ask(gateway, walk, 'GET', '/admin/v1/me')).json.id, operator?.id);
      assert.equal((await ask(gateway, walk, 'GET', '/admin/v1/operators')).status, role === 'admin' ? 200 : 403);
    });
  }

  it('the cookie of a pending sign-in: sealed, HttpOnly, Lax, ten minutes, then removed', async () => {
    provider.seat.person = ADA;
    const walk = new WebWalk();
    const url = await begin(gateway, walk);
    assert.equal(url.searchParams.get('code_challenge_method'), 'S256');
    const [state = '', nonce = ''] = ['state', 'nonce'].map((name) => url.searchParams.get(name) ?? '');
    assert.ok(state.length >= 32 && nonce.length >= 32);
    const sealed = Buffer.from(walk.cookie.replace('fairway_sign_in=', ''), 'base64url').toString('latin1');
    assert.ok(!sealed.includes(state) && !sealed.includes(nonce));
    const again = await walk.ask(`${gateway.baseUrl}/console/oidc`, {
      method: 'POST',
      headers: { 'fairway-console': '1' },
      body: '{"return_to":""}',
    });
    assert.match(
      again.headers.get('set-cookie') ?? '',
      /^fairway_sign_in=[\w-]+; HttpOnly; SameSite=Lax; Path=\/; Max-Age=600$/,
    );
    const callback = await toCallback(gateway, walk, new URL(((await again.json()) as { url: string }).url));
    await walk.ask(callback.href);
    assert.doesNotMatch(walk.cookie, /fairway_sign_in/);
    assert.match(walk.cookie, /fairway_session=/);
  });

  it('support: sees masked answers and changes nothing', async () => {
    const { walk } = await signInAs(world, SAM);
    const calls = [
      ['POST', '/admin/v1/organizations', { name: 'x' }],
      ['PATCH', `/admin/v1/numbers/${tenant.phoneNumberId}`, { paused: true }],
      ['DELETE', `/admin/v1/organizations/${tenant.organizationId}`],
      ['POST', '/admin/v1/operators', { name: 'x', role: 'admin' }],
    ] as const;
    for (const [method, path, body] of calls) {
      assertError(await ask(gateway, walk, method, path, body), 403, 'FORBIDDEN');
    }
    const { text } = await ask(gateway, walk, 'GET', `/admin/v1/organizations/${tenant.organizationId}/wabas`);
    assert.match(text, /•••/);
  });

  it('the audit log: names the person by sub and email for the sign-in and for each change', async () => {
    const { walk } = await signInAs(world, ADA);
    const created = await ask(gateway, walk, 'POST', '/admin/v1/organizations', { name: 'By Ada' });
    assert.equal(created.status, 201, created.text);
    const operator = await operatorOf(ADA);
    const { json } = await askAdmin(gateway, 'GET', `/audit?actor=${operator?.id}`);
    const actor = {
      type: 'operator',
      id: operator?.id,
      name: ADA.name,
      identity: { issuer: provider.issuer, subject: ADA.sub, email: ADA.email },
    };
    const [change, signIn] = json.data;
    assert.deepEqual([change.operation, change.actor], ['createOrganization', actor]);
    assert.deepEqual([signIn.operation, signIn.actor, signIn.http_status], ['signIn', actor, 200]);
    assert.deepEqual([signIn.object.id, signIn.after.role], [operator?.id, 'admin']);
  });

  it('a changed group: the new role at the next sign-in, in open sessions as well', async () => {
    const person = { sub: 'mover-1', name: 'Mo', groups: ['owners'] };
    const first = await signInAs(world, person);
    assert.equal((await ask(gateway, first.walk, 'GET', '/admin/v1/operators')).status, 200);
    await signInAs(world, { ...person, groups: ['help-desk'] });
    assertError(await ask(gateway, first.walk, 'GET', '/admin/v1/operators'), 403, 'FORBIDDEN');
    assert.equal((await ask(gateway, first.walk, 'GET', '/console/session')).json.role, 'support');
  });

  it('no group with a role → refused with the groups to ask for, and open sessions end', async () => {
    const { walk, returned } = await signInAs(world, EVE);
    assert.deepEqual(await refusalOf(gateway, walk, returned), {
      reason: 'no_role',
      account: EVE.email,
      asks: {
        claim: 'groups',
        roles: [
          { role: 'support', values: ['help-desk'] },
          { role: 'operator', values: ['on-call'] },
          { role: 'admin', values: ['owners'] },
        ],
      },
    });
    assert.equal((await ask(gateway, walk, 'GET', '/console/oidc')).json.refusal, null);
    assert.equal(await operatorOf(EVE), undefined);
    const former = { sub: 'former-1', groups: ['owners'] };
    const open = await signInAs(world, former);
    assert.equal((await ask(gateway, open.walk, 'GET', '/console/session')).status, 200);
    await signInAs(world, { ...former, groups: [] });
    assert.equal((await ask(gateway, open.walk, 'GET', '/console/session')).status, 401);
  });

  it('a revoked person: sessions end, and further sign-ins are refused', async () => {
    const person = { sub: 'leaver-1', email: 'leaver@example.com', groups: ['owners'] };
    const { walk } = await signInAs(world, person);
    const operator = await operatorOf(person);
    await admin(gateway, 'DELETE', `/operators/${operator?.id}`);
    assert.equal((await ask(gateway, walk, 'GET', '/console/session')).status, 401);
    const again = await signInAs(world, person);
    const refusal = await refusalOf(gateway, again.walk, again.returned);
    assert.deepEqual(refusal, { reason: 'revoked', account: person.email, asks: null });
    const { json } = await askAdmin(gateway, 'GET', `/audit?actor=${operator?.id}`);
    assert.deepEqual([json.data[0].operation, json.data[0].http_status], ['signIn', 403]);
  });

  it('an operator of the provider: no token, no other name or role; an expiry works', async () => {
    await signInAs(world, GRACE);
    const operator = await operatorOf(GRACE);
    const path = `/operators/${operator?.id}`;
    assertError(await askAdmin(gateway, 'POST', `${path}/rotate`), 409, 'CONFLICT');
    assertError(await askAdmin(gateway, 'PATCH', path, { role: 'admin' }), 409, 'CONFLICT');
    assertError(await askAdmin(gateway, 'PATCH', path, { name: 'Other' }), 409, 'CONFLICT');
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    assert.equal((await askAdmin(gateway, 'PATCH', path, { expires_at })).json.expires_at, expires_at);
  });

  it("sign out: the session ends, and the page gets the address that ends the provider's", async () => {
    const { walk } = await signInAs(world, ADA);
    const { cookie } = walk;
    const left = await ask(gateway, walk, 'DELETE', '/console/session');
    const url = new URL(left.json.url);
    assert.ok(url.href.startsWith(`${provider.issuer}/session/end`));
    assert.deepEqual([...url.searchParams.keys()].sort(), ['client_id', 'post_logout_redirect_uri']);
    const after = await fetch(`${gateway.baseUrl}/console/session`, { headers: { cookie, 'fairway-console': '1' } });
    assert.equal(after.status, 401);
    const page = await walk.ask(url.href);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /action="[^"]*\/session\/end\/confirm/);
  });
});

describe('sign-in by other providers', () => {
  const world = useOidc({}, { ...PUBLIC_CLIENT, roleClaim: 'groups', endsProviderSession: false }, () =>
    startIdentityProvider({ conformIdTokenClaims: false }),
  );
  const { gateway, provider } = world;

  it('a public client, claims in the ID token: signed in without UserInfo and secret', async () => {
    const { walk } = await signInAs(world, GRACE);
    assert.equal((await ask(gateway, walk, 'GET', '/console/session')).json.role, 'operator');
    assert.ok(!provider.asked.includes('/me'));
  });

  it('OIDC_LOGOUT=off: the sign-out stays here', async () => {
    const { walk } = await signInAs(world, GRACE);
    assert.equal((await ask(gateway, walk, 'DELETE', '/console/session')).status, 204);
  });

  it('attempts of one address beyond the limit → refused before the provider is asked', async () => {
    const walk = new WebWalk();
    const attempt = async () => {
      const url = await begin(gateway, walk);
      const query = { code: 'x', state: url.searchParams.get('state') ?? '', iss: provider.issuer };
      return walk.ask(`${gateway.baseUrl}/console/oidc/callback?${new URLSearchParams(query)}`);
    };
    const reasons: string[] = [];
    let asked = 0;
    while (reasons.at(-1) !== 'limited') {
      assert.ok(reasons.length < 400);
      asked = provider.asked.length;
      reasons.push((await refusalOf(gateway, walk, await attempt())).reason);
    }
    assert.equal(provider.asked.length, asked);
    assert.ok(reasons.length > 90 && reasons.slice(0, -1).every((reason) => reason === 'refused'));
  });
});

describe('sign-in behind a proxy with https and a path', () => {
  const publicUrl = 'https://messaging.example.com/fairway';
  const world = useOidc({ publicUrl });
  const { gateway, provider } = world;

  it('cookies are Secure, the pending one with __Host-; every address begins with PUBLIC_URL', async () => {
    provider.register(publicUrl);
    provider.seat.person = ADA;
    const walk = new WebWalk();
    const url = await begin(gateway, walk, 'queue');
    assert.equal(url.searchParams.get('redirect_uri'), `${publicUrl}/console/oidc/callback`);
    assert.match(walk.cookie, /^__Host-fairway_sign_in=/);
    const callback = await walk.follow(url.href, publicUrl);
    // The proxy removes its path.
    const returned = await walk.ask(`${gateway.baseUrl}/console/oidc/callback${callback.search}`);
    assert.equal(returned.headers.get('location'), `${publicUrl}/console/queue`);
    const cookies = returned.headers.getSetCookie();
    const lax = '__Host-fairway_sign_in=; HttpOnly; SameSite=Lax; Path=/; Secure; Max-Age=0';
    assert.equal(cookies[0], lax);
    assert.match(cookies[1] ?? '', /^fairway_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Secure$/);
    const left = await ask(gateway, walk, 'DELETE', '/console/session');
    assert.equal(new URL(left.json.url).searchParams.get('post_logout_redirect_uri'), `${publicUrl}/console/`);
  });
});

describe('sign-in by the identity provider on two nodes', () => {
  const clock = createTickingClock(Date.now());
  const world = useOidc({ clock, isOneOfSeveral: true, simulator: { clock: systemClock } });
  const { gateway, provider } = world;
  const other = useFurtherNode(gateway, { clock });
  after(() => clock.stop());

  it('revoked on one node → the session ends on the other within a second', async () => {
    const { walk } = await signInAs(world, ADA);
    assert.equal((await ask(other, walk, 'GET', '/console/session')).status, 200);
    const { json } = await askAdmin(gateway, 'GET', '/operators');
    await admin(gateway, 'DELETE', `/operators/${json.data[0].id}`);
    const revokedAt = clock.now();
    await until('the session has ended', async () =>
      (await ask(other, walk, 'GET', '/console/session')).status === 401 ? true : undefined,
    );
    assert.ok(clock.now() - revokedAt <= 2_000);
  });

  it('half an hour idle → ended; ten minutes at the provider → the pending cookie has expired', async () => {
    const { walk } = await signInAs(world, GRACE);
    provider.seat.person = GRACE;
    const slow = new WebWalk();
    const callback = await toCallback(gateway, slow, await begin(gateway, slow));
    clock.advance(10 * 60_000);
    assert.equal((await refusalOf(gateway, slow, await slow.ask(callback.href))).reason, 'expired');
    clock.advance(20 * 60_000);
    assert.equal((await ask(gateway, walk, 'GET', '/console/session')).status, 401);
  });
});
