import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { assertError } from '../harness/assert-error.ts';
import { startIdentityProvider } from '../harness/identity-provider.ts';
import { askAdmin } from '../harness/tenant.ts';
import { WebWalk } from '../harness/web-walk.ts';
import { ADA, ask, begin, refusalOf, signInAs, toCallback, useOidc } from './oidc-walk.ts';

describe('refused sign-ins by the identity provider', () => {
  const world = useOidc();
  const { gateway, provider } = world;
  beforeEach(() => provider.answers.clear());

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
