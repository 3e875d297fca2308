import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway } from '../../harness/fixtures.ts';
import { type Answer, admin, askAdmin, call } from '../../harness/tenant.ts';
import { createNewcomer, type Newcomer, untilRests } from './onboarding.ts';

const PAGE = { 'fairway-console': '1', 'sec-fetch-site': 'same-origin' };

describe('set-up links', () => {
  const gateway = useGateway();

  const createLink = (newcomer: Newcomer, body: object = {}) =>
    admin<{ id: string; url: string; expires_at: string }>(
      gateway,
      'POST',
      `/organizations/${newcomer.organizationId}/setup-links`,
      body,
    );
  const secretOf = ({ url }: { url: string }) => new URL(url).hash.slice(1);
  const cookieOf = (answer: Answer) => answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const open = (secret: string) =>
    call(gateway, undefined, 'POST', '/setup/session', { body: { secret }, headers: PAGE });
  const ask = (cookie: string, method: string, path: string, body?: unknown) =>
    call(gateway, undefined, method, `/setup/${path}`, {
      headers: { ...PAGE, cookie },
      ...(body !== undefined && { body }),
    });
  /** Opens a link and begins a sign-up. */
  const begin = async (link: { url: string }) => {
    const opened = await open(secretOf(link));
    assert.equal(opened.status, 204, opened.text);
    const begun = await ask(cookieOf(opened), 'POST', 'dialog', {});
    assert.equal(begun.status, 200, begun.text);
    const dialog = new URL(begun.json.url);
    return { cookie: cookieOf(begun), dialog, state: dialog.searchParams.get('state') ?? '' };
  };
  const callback = (cookie: string, query: Record<string, string>) =>
    fetch(`${gateway.baseUrl}/setup/callback?${new URLSearchParams(query)}`, {
      redirect: 'manual',
      headers: { cookie },
    });
  const showAfter = async (returned: Response) => {
    const cookie = returned.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    return (await ask(cookie, 'GET', 'session')).json;
  };

  it('dialog: app, configuration, code, state, own callback', async () => {
    const { dialog, state } = await begin(await createLink(await createNewcomer(gateway)));
    assert.equal(`${dialog.origin}${dialog.pathname}`, `${gateway.simulator.baseUrl}/dialog/oauth`);
    const { extras, ...query } = Object.fromEntries(dialog.searchParams);
    assert.deepEqual(query, {
      ...{ client_id: '880011223344', config_id: '770011223344', response_type: 'code', state },
      ...{ override_default_response_type: 'true', redirect_uri: `${gateway.baseUrl}/setup/callback` },
    });
    assert.equal(JSON.parse(extras ?? '').version, 'v4');
    assert.ok(state.length >= 40);
  });

  it('the secret: in the answer once, behind the #, and in no later answer', async () => {
    const newcomer = await createNewcomer(gateway);
    const link = await createLink(newcomer, { expires_in_seconds: 3600 });
    assert.match(link.url, /^http:\/\/[^#]+\/setup#[\w-]{80,}$/);
    const { text } = await askAdmin(gateway, 'GET', `/organizations/${newcomer.organizationId}/setup-links`);
    assert.ok(!text.includes(secretOf(link)));
    assert.ok(text.includes(link.id));
  });

  it('wrong secrets → 401', async () => {
    const secret = secretOf(await createLink(await createNewcomer(gateway)));
    const other = secretOf(await createLink(await createNewcomer(gateway)));
    const changed = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'Q' : 'A'}`;
    const crossed = Buffer.concat([
      Buffer.from(other, 'base64url').subarray(0, 16),
      Buffer.from(secret, 'base64url').subarray(16),
    ]).toString('base64url');
    for (const wrong of ['x', changed, crossed, 'A'.repeat(86)]) assertError(await open(wrong), 401, 'UNAUTHORIZED');
    assertError(await call(gateway, undefined, 'GET', '/setup/session', { headers: PAGE }), 401, 'UNAUTHORIZED');
  });

  it('request of another site’s page → 403', async () => {
    const { cookie } = await begin(await createLink(await createNewcomer(gateway)));
    const headers = { cookie, 'sec-fetch-site': 'cross-site' };
    assertError(await call(gateway, undefined, 'POST', '/setup/dialog', { headers, body: {} }), 403, 'FORBIDDEN');
  });

  it('code and state → onboarding of the link; a second use of the state changes nothing', async () => {
    const newcomer = await createNewcomer(gateway);
    const link = await createLink(newcomer, { test_recipient: newcomer.recipient });
    const { cookie, state } = await begin(link);
    const redirectUri = `${gateway.baseUrl}/setup/callback`;
    const issue = () => gateway.simulator.world.issueSignupCode(newcomer.wabaId, { redirectUri });
    const returned = await callback(cookie, { code: issue(), state });
    assert.equal(returned.status, 303);
    assert.equal(returned.headers.get('location'), `${gateway.baseUrl}/setup`);
    assert.equal(returned.headers.get('referrer-policy'), 'no-referrer');
    const { onboarding } = await showAfter(returned);
    assert.equal(onboarding.setup_link_id, link.id);
    assert.equal((await untilRests(gateway, newcomer, onboarding.id)).state, 'done');
    const again = await showAfter(await callback(cookie, { code: issue(), state }));
    assert.match(again.notice, /used already/);
    const path = `/organizations/${newcomer.organizationId}/onboardings`;
    assert.equal((await askAdmin(gateway, 'GET', path)).json.data.length, 1);
    assertError(await ask(cookie, 'POST', 'dialog', {}), 409, 'CONFLICT');
  });

  it('state of another browser, or no cookie → nothing begins', async () => {
    const newcomer = await createNewcomer(gateway);
    const link = await createLink(newcomer);
    const mine = await begin(link);
    const theirs = await begin(await createLink(await createNewcomer(gateway)));
    const code = gateway.simulator.world.issueSignupCode(newcomer.wabaId);
    const crossed = await showAfter(await callback(mine.cookie, { code, state: theirs.state }));
    assert.match(crossed.notice, /not begun here/);
    assert.equal(crossed.onboarding, null);
    const bare = await callback('', { code, state: mine.state });
    assert.equal(bare.status, 303);
    assert.equal(bare.headers.get('set-cookie'), null);
  });

  it('cancelled in the dialog → the link has no onboarding until the next sign-up', async () => {
    const newcomer = await createNewcomer(gateway);
    const link = await createLink(newcomer);
    const onboardingOf = async () => {
      const { data } = await admin<{ data: { id: string; onboarding_id: string | null }[] }>(
        gateway,
        'GET',
        `/organizations/${newcomer.organizationId}/setup-links`,
      );
      return data.find(({ id }) => id === link.id)?.onboarding_id;
    };
    const first = await begin(link);
    const cancelled = await showAfter(await callback(first.cookie, { error: 'access_denied', state: first.state }));
    assert.match(cancelled.notice, /cancelled/);
    assert.equal(await onboardingOf(), null);
    const second = await begin(link);
    const { onboarding } = await showAfter(await callback(second.cookie, { code: 'wrong', state: second.state }));
    assert.equal(await onboardingOf(), onboarding.id);
  });

  it('code of a failed sign-up → begun again with the same link, one onboarding', async () => {
    const newcomer = await createNewcomer(gateway);
    const link = await createLink(newcomer);
    const first = await begin(link);
    const { onboarding } = await showAfter(await callback(first.cookie, { code: 'wrong', state: first.state }));
    assert.equal(onboarding.state, 'failed');
    const second = await begin(link);
    const redirectUri = `${gateway.baseUrl}/setup/callback`;
    const code = gateway.simulator.world.issueSignupCode(newcomer.wabaId, { redirectUri });
    const shown = await showAfter(await callback(second.cookie, { code, state: second.state }));
    assert.equal(shown.onboarding.id, onboarding.id);
    assert.equal((await untilRests(gateway, newcomer, onboarding.id)).state, 'done');
  });

  it('link holder: may not give a token, nor take the webhooks of the app', async () => {
    const newcomer = await createNewcomer(gateway);
    const { cookie, state } = await begin(await createLink(newcomer));
    await callback(cookie, { code: 'wrong', state });
    for (const body of [{ access_token: 'x' }, { replace_callback: true }, { code: 'x' }]) {
      assertError(await ask(cookie, 'POST', 'steps/check_token', body), 400, 'VALIDATION_ERROR');
    }
  });

  it('closed organization → its links open nothing, its onboardings have ended', async () => {
    const newcomer = await createNewcomer(gateway);
    const { cookie, state } = await begin(await createLink(newcomer));
    const { onboarding } = await showAfter(await callback(cookie, { code: 'wrong', state }));
    await admin(gateway, 'DELETE', `/organizations/${newcomer.organizationId}`);
    assertError(await ask(cookie, 'GET', 'session'), 401, 'UNAUTHORIZED');
    const path = `/organizations/${newcomer.organizationId}/onboardings/${onboarding.id}`;
    assert.equal((await askAdmin(gateway, 'GET', path)).json.state, 'ended');
  });

  it('revoked → the session ends too; another organization’s link → 404', async () => {
    const newcomer = await createNewcomer(gateway);
    const link = await createLink(newcomer);
    const { cookie } = await begin(link);
    const { organizationId } = await createNewcomer(gateway);
    const foreign = await askAdmin(gateway, 'DELETE', `/organizations/${organizationId}/setup-links/${link.id}`);
    assertError(foreign, 404, 'NOT_FOUND');
    assert.equal((await ask(cookie, 'GET', 'session')).status, 200);
    await admin(gateway, 'DELETE', `/organizations/${newcomer.organizationId}/setup-links/${link.id}`);
    assertError(await ask(cookie, 'GET', 'session'), 401, 'UNAUTHORIZED');
  });
});
