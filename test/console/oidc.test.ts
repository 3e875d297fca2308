import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { systemClock } from '../../src/core/time/clock.ts';
import { assertError } from '../harness/assert-error.ts';
import { useFurtherNode, useTenant } from '../harness/fixtures.ts';
import { type Account, PUBLIC_CLIENT, startIdentityProvider } from '../harness/identity-provider.ts';
import { admin, askAdmin, until } from '../harness/tenant.ts';
import { createTickingClock } from '../harness/ticking-clock.ts';
import { WebWalk } from '../harness/web-walk.ts';
import { ask, begin, refusalOf, signInAs, toCallback, useOidc } from './oidc-walk.ts';

const ADA = { sub: 'ada-1', email: 'ada@example.com', name: 'Ada Example', groups: ['owners', 'help-desk'] };
const GRACE = { sub: 'grace-1', email: 'grace@example.com', name: 'Grace Example', groups: ['on-call'] };
const SAM = { sub: 'sam-1', email: 'sam@example.com', name: 'Sam Example', groups: ['help-desk'] };
const EVE = { sub: 'eve-1', email: 'eve@example.com', name: 'Eve Example', groups: ['sales'] };

describe('sign-in by the identity provider', () => {
  const world = useOidc();
  const { gateway, provider } = world;
  const tenant = useTenant(gateway);
  beforeEach(() => provider.answers.clear());

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

  it('wrong state, no cookie, a forged cookie → refused without asking the provider', async () => {
    provider.seat.person = ADA;
    const walk = new WebWalk();
    const callback = await toCallback(gateway, walk, await begin(gateway, walk));
    const asked = provider.asked.length;
    const wrong = new URL(callback);
    wrong.searchParams.set('state', 'another');
    assert.equal((await refusalOf(gateway, walk, await walk.ask(wrong.href))).reason, 'expired');
    const stranger = new WebWalk();
    assert.equal((await refusalOf(gateway, stranger, await stranger.ask(callback.href))).reason, 'expired');
    const forged = await fetch(callback, { headers: { cookie: 'fairway_sign_in=AAAA' }, redirect: 'manual' });
    assert.equal(forged.status, 303);
    assert.equal(provider.asked.length, asked);
  });

  it('wrong nonce → refused', async () => {
    provider.seat.person = ADA;
    const walk = new WebWalk();
    const url = await begin(gateway, walk);
    url.searchParams.set('nonce', 'of-another-sign-in');
    const returned = await walk.ask((await toCallback(gateway, walk, url)).href);
    assert.equal((await refusalOf(gateway, walk, returned)).reason, 'refused');
  });

  it('wrong issuer in the return, or none → refused', async () => {
    for (const issuer of ['https://evil.example', undefined]) {
      provider.seat.person = ADA;
      const walk = new WebWalk();
      const callback = await toCallback(gateway, walk, await begin(gateway, walk));
      if (issuer === undefined) callback.searchParams.delete('iss');
      else callback.searchParams.set('iss', issuer);
      assert.equal((await refusalOf(gateway, walk, await walk.ask(callback.href))).reason, 'refused');
    }
  });

  it('a code that was used, with the same cookie → refused; another PKCE verifier → refused', async () => {
    provider.seat.person = ADA;
    const walk = new WebWalk();
    const callback = await toCallback(gateway, walk, await begin(gateway, walk));
    const before = walk.cookie;
    assert.equal((await walk.ask(callback.href)).status, 303);
    const replay = await fetch(callback, { headers: { cookie: before }, redirect: 'manual' });
    assert.ok(!replay.headers.getSetCookie().some((line) => line.startsWith('fairway_session=')));

    const victim = await toCallback(gateway, walk, await begin(gateway, walk));
    const thief = new WebWalk();
    const own = await begin(gateway, thief);
    victim.searchParams.set('state', own.searchParams.get('state') ?? '');
    assert.equal((await refusalOf(gateway, thief, await thief.ask(victim.href))).reason, 'refused');
  });

  it('a person who refuses, and other errors of the provider → each with its reason', async () => {
    const { walk, returned } = await signInAs(world, undefined);
    assert.equal((await refusalOf(gateway, walk, returned)).reason, 'cancelled');
    const url = await begin(gateway, walk);
    const state = url.searchParams.get('state') ?? '';
    const callback = `${gateway.baseUrl}/console/oidc/callback?${new URLSearchParams({ state, iss: provider.issuer, error: 'server_error', error_description: '<b>x</b>' })}`;
    const failed = await walk.ask(callback);
    assert.equal((await refusalOf(gateway, walk, failed)).reason, 'refused');
  });

  it('the provider fails between button and return → refused as unreachable, later sign-ins work', async () => {
    for (const answer of [null, (response: ServerResponse) => response.writeHead(500).end()]) {
      provider.seat.person = ADA;
      const walk = new WebWalk();
      const callback = await toCallback(gateway, walk, await begin(gateway, walk));
      provider.answers.set('/token', answer);
      assert.equal((await refusalOf(gateway, walk, await walk.ask(callback.href))).reason, 'unreachable');
      provider.answers.clear();
    }
    assert.equal((await signInAs(world, ADA)).returned.status, 303);
  });

  it('an answer without end → refused, with a bound on what is read', async () => {
    provider.seat.person = ADA;
    const walk = new WebWalk();
    const callback = await toCallback(gateway, walk, await begin(gateway, walk));
    let written = 0;
    const answered = Promise.withResolvers<void>();
    provider.answers.set('/token', (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.on('close', answered.resolve);
      const chunk = Buffer.alloc(64 * 1024, ' ');
      const pour = () => {
        while (!response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', pour);
        }
      };
      pour();
    });
    const { reason } = await refusalOf(gateway, walk, await walk.ask(callback.href));
    assert.match(reason, /^(?:refused|unreachable)$/);
    await answered.promise;
    assert.ok(written < 64 * 1024 * 1024, `${written}`);
  });

  it('new keys at the provider → the next sign-in works; keys that did not sign → refused', async () => {
    await signInAs(world, ADA);
    const stolen = await (await fetch(`${provider.issuer}/jwks`)).text();
    provider.rotateKeys();
    const { walk } = await signInAs(world, ADA);
    assert.equal((await ask(gateway, walk, 'GET', '/console/session')).status, 200);
    provider.answers.set('/jwks', (response) => response.setHeader('content-type', 'application/json').end(stolen));
    const other = await signInAs(world, ADA);
    assert.equal((await refusalOf(gateway, other.walk, other.returned)).reason, 'refused');
  });

  it('a foreign page: can begin no sign-in and read no options', async () => {
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(`${gateway.baseUrl}/console/oidc`, {
        method,
        headers: { 'fairway-console': '1', 'sec-fetch-site': 'cross-site' },
        ...(method === 'POST' && { body: '{"return_to":""}' }),
      });
      assert.equal(answer.status, 403);
    }
  });

  it('an address to return to outside of the console → refused, or the first page', async () => {
    for (const returnTo of ['javascript:alert(1)#', '\\\\evil.example', '<script>']) {
      const answer = await ask(gateway, new WebWalk(), 'POST', '/console/oidc', { return_to: returnTo });
      assertError(answer, 400, 'VALIDATION_ERROR');
    }
    for (const returnTo of ['../../evil', '//evil.example']) {
      const { returned } = await signInAs(world, ADA, { returnTo });
      assert.ok(returned.headers.get('location')?.startsWith(`${gateway.baseUrl}/console/`));
    }
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

describe('secrets of a sign-in', () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const world = useOidc({ settings: () => ({ log }) });
  const { gateway, provider } = world;

  it('code, state, nonce, verifier, tokens and the client secret: neither logged nor stored', async () => {
    const secrets = [provider.settings().clientSecret ?? ''];
    const walk = new WebWalk();
    provider.seat.person = ADA;
    for (const spoil of [undefined, 'nonce', 'code', 'error']) {
      const url = await begin(gateway, walk);
      if (spoil === 'nonce') url.searchParams.set('nonce', 'another-nonce-than-the-own');
      const callback = await toCallback(gateway, walk, url);
      secrets.push(...['state', 'nonce', 'code_challenge'].map((name) => url.searchParams.get(name) ?? ''));
      secrets.push(callback.searchParams.get('code') ?? '');
      if (spoil === 'code') callback.searchParams.set('code', `${callback.searchParams.get('code')}x`);
      if (spoil === 'error') callback.searchParams.set('error', 'planted_words of a provider');
      await walk.ask(callback.href);
      await walk.ask(callback.href);
    }
    assert.equal(new Set(secrets).size, 17);
    const tables = ['operator', 'console_session', 'audit_entry'];
    const rows = await Promise.all(
      tables.map((table) => gateway.app.db.query<{ row: string }>({ text: `SELECT t::text AS row FROM ${table} t` })),
    );
    const kept = [...lines, ...rows.flat().map(({ row }) => row)].join('\n');
    assert.match(kept, /sign-in by the identity provider refused/);
    assert.match(kept, /ada-1/);
    for (const secret of [...secrets, 'planted_words of', 'eyJ']) assert.ok(!kept.includes(secret), secret);
  });
});

describe('sign-in by a provider that is down when the gateway starts', () => {
  const world = useOidc();
  const { gateway, provider } = world;

  it('the gateway works, the button says so, and the doctor names the cause; later it works', async () => {
    provider.answers.set('*', null);
    const answer = await ask(gateway, new WebWalk(), 'POST', '/console/oidc', { return_to: '' });
    assertError(answer, 503, 'UNAVAILABLE');
    assert.equal(answer.headers.get('retry-after'), '5');
    const judge = async () =>
      (await askAdmin(gateway, 'GET', '/doctor?check=identity-provider')).json.findings.map(
        ({ status, message }: { status: string; message: string }) => `${status} ${message}`,
      );
    assert.match((await judge()).join(), /^failed .*OIDC_ISSUER.*nobody can sign in/);
    provider.answers.clear();
    assert.deepEqual(await judge(), ['ok As it should be.']);
    assert.equal((await signInAs(world, ADA)).returned.status, 303);
  });
});

describe('sign-in at a wrong issuer', () => {
  const { gateway } = useOidc({}, { label: 'Wrong' }, async () => {
    const provider = await startIdentityProvider();
    return { ...provider, settings: (more) => ({ ...provider.settings(more), issuer: `${provider.issuer}/other` }) };
  });

  it('a discovery document of another issuer → no sign-in begins', async () => {
    assertError(await ask(gateway, new WebWalk(), 'POST', '/console/oidc', { return_to: '' }), 503, 'UNAVAILABLE');
    const { json } = await ask(gateway, new WebWalk(), 'GET', '/console/oidc');
    assert.deepEqual(json, { provider: { label: 'Wrong' }, refusal: null });
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
