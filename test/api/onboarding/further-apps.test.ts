import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway } from '../../harness/fixtures.ts';
import { UPSTREAM_APP } from '../../harness/gateway.ts';
import { admin, askAdmin, call, sendsTo } from '../../harness/tenant.ts';
import { createFurtherApp } from '../apps/further-app.ts';
import { begin, createNewcomer, freePort, type Newcomer, repeat, stepOf, untilRests, type View } from './onboarding.ts';

const PAGE = { 'fairway-console': '1', 'sec-fetch-site': 'same-origin' };
const port = await freePort();
const address = `http://127.0.0.1:${port}`;

describe('onboarding with a further Meta app', () => {
  const gateway = useGateway({ port, publicUrl: address });
  const world = () => gateway.simulator.world;
  const ownAddress = ({ id }: { id: string }) => `${address}/webhooks/upstream/${id}`;
  const onboardingsOf = ({ organizationId }: Newcomer) => `/organizations/${organizationId}/onboardings`;
  const linksOf = ({ organizationId }: Newcomer) => `/organizations/${organizationId}/setup-links`;

  /** Creates an app without webhooks, and a newcomer whose token belongs to it. */
  const createBoth = async (change: { signup_configuration_id?: string } = {}) => {
    const app = await createFurtherApp(gateway, { secret_proof: true, ...change });
    app.webhookUrl = null;
    return { app, newcomer: await createNewcomerOf(app) };
  };
  const createNewcomerOf = async (app: { id: string }) => {
    const newcomer = await createNewcomer(gateway);
    const waba = world().accounts.findWaba(newcomer.wabaId);
    assert.ok(waba);
    waba.appId = app.id;
    return newcomer;
  };
  const assertDone = async (view: View, newcomer: Newcomer, app: { id: string; webhookUrl: string | null }) => {
    assert.equal(view.state, 'done', JSON.stringify(view.steps));
    assert.equal(view.app_id, app.id);
    assert.equal(app.webhookUrl, ownAddress(app));
    assert.equal(sendsTo(gateway, newcomer.recipient).length, 1);
    const { json } = await askAdmin(gateway, 'GET', `/organizations/${newcomer.organizationId}/wabas`);
    assert.deepEqual(
      json.data.map((waba: { app_id: string }) => waba.app_id),
      [app.id],
    );
  };

  for (const named of [true, false]) {
    it(`token, app ${named ? 'named' : 'found by the check of the token'} → done with this app`, async () => {
      const { app, newcomer } = await createBoth();
      const begun = await begin(gateway, newcomer, {
        ...{ access_token: newcomer.accessToken, test_recipient: newcomer.recipient },
        ...(named && { app_id: app.id }),
      });
      assert.equal(begun.app_id, named ? app.id : UPSTREAM_APP.appId);
      await assertDone(await untilRests(gateway, newcomer, begun.id), newcomer, app);
    });
  }

  it('token of the app of the environment, among several → done with that app', async () => {
    await createBoth();
    world().setWebhookUrl(`${address}/webhooks/upstream`);
    const newcomer = await createNewcomer(gateway);
    const { id } = await begin(gateway, newcomer, { access_token: newcomer.accessToken });
    const view = await untilRests(gateway, newcomer, id);
    assert.deepEqual([view.state, view.app_id], ['done', UPSTREAM_APP.appId], JSON.stringify(view.steps));
  });

  it('token of another app than the named one → fault; a repeat with its app goes on', async () => {
    const { app, newcomer } = await createBoth();
    const { app: other } = await createBoth();
    const { id } = await begin(gateway, newcomer, { access_token: newcomer.accessToken, app_id: other.id });
    const failed = await untilRests(gateway, newcomer, id);
    assert.equal(stepOf(failed, 'check_token').state, 'failed');
    assert.equal(other.webhookUrl, null);
    assert.equal((await repeat(gateway, newcomer, id, 'check_token', { app_id: app.id })).status, 200);
    const view = await untilRests(gateway, newcomer, id);
    assert.deepEqual([view.state, view.app_id], ['done', app.id], JSON.stringify(view.steps));
  });

  it('checks of the token without an answer → checked again, and its app is found', async () => {
    const { app, newcomer } = await createBoth();
    const { data } = await admin<{ data: unknown[] }>(gateway, 'GET', '/apps');
    // One check by each app, and one by the app of the environment.
    world().addFault({ fault: { kind: 'error', code: 2 }, scope: { endpoint: 'accounts' }, times: data.length + 1 });
    const { id } = await begin(gateway, newcomer, { access_token: newcomer.accessToken });
    const view = await untilRests(gateway, newcomer, id);
    assert.deepEqual([view.state, view.app_id], ['done', app.id], JSON.stringify(view.steps));
  });

  it('webhooks of the app: taken from the address of all apps, not from another system', async () => {
    const { app, newcomer } = await createBoth();
    app.webhookUrl = 'https://elsewhere.example.com/hook';
    const { id } = await begin(gateway, newcomer, { access_token: newcomer.accessToken });
    const failed = stepOf(await untilRests(gateway, newcomer, id), 'app_fields');
    assert.match(failed.message, /go to https:\/\/elsewhere\.example\.com/);
    app.webhookUrl = `${address}/webhooks/upstream`;
    assert.equal((await repeat(gateway, newcomer, id, 'app_fields')).status, 200);
    assert.equal((await untilRests(gateway, newcomer, id)).state, 'done');
    assert.equal(app.webhookUrl, ownAddress(app));
  });

  it('set-up link of an app → its dialog, its code, its onboarding', async () => {
    const { app, newcomer } = await createBoth({ signup_configuration_id: '770099887766' });
    const link = await admin<{ url: string; app_id: string }>(gateway, 'POST', linksOf(newcomer), {
      ...{ app_id: app.id, test_recipient: newcomer.recipient },
    });
    assert.equal(link.app_id, app.id);
    const opened = await ask('', 'POST', 'session', { secret: new URL(link.url).hash.slice(1) });
    const { cookie, dialog } = await beginDialog(cookieOf(opened.headers));
    const { client_id, config_id, state = '' } = Object.fromEntries(dialog.searchParams);
    assert.deepEqual([client_id, config_id], [app.id, '770099887766']);
    const offered = await (await fetch(dialog)).text();
    assert.ok(offered.includes(newcomer.wabaId));
    const { onboarding } = await signUp(cookie, state, newcomer);
    await assertDone(await untilRests(gateway, newcomer, onboarding.id), newcomer, app);
  });

  it('set-up link: code of an account of another app → refused', async () => {
    const { newcomer } = await createBoth();
    const { app: other } = await createBoth({ signup_configuration_id: '77' });
    const link = await admin<{ url: string }>(gateway, 'POST', linksOf(newcomer), { app_id: other.id });
    const opened = await ask('', 'POST', 'session', { secret: new URL(link.url).hash.slice(1) });
    const { cookie, dialog } = await beginDialog(cookieOf(opened.headers));
    const { onboarding } = await signUp(cookie, dialog.searchParams.get('state') ?? '', newcomer);
    assert.match(stepOf(onboarding, 'exchange_code').message, /another app/);
  });

  it('set-up link of an app without a configuration → no dialog', async () => {
    const { app, newcomer } = await createBoth();
    const link = await admin<{ url: string }>(gateway, 'POST', linksOf(newcomer), { app_id: app.id });
    const opened = await ask('', 'POST', 'session', { secret: new URL(link.url).hash.slice(1) });
    const cookie = cookieOf(opened.headers);
    assert.equal((await ask(cookie, 'GET', 'session')).json.can_sign_up, false);
    assertError(await ask(cookie, 'POST', 'dialog', {}), 409, 'CONFLICT');
  });

  it('unknown app → 400', async () => {
    const { newcomer } = await createBoth();
    const { id } = await begin(gateway, newcomer, { access_token: 'EAAunknown' });
    await untilRests(gateway, newcomer, id);
    for (const app_id of ['12345', 'x', '']) {
      const given = { access_token: newcomer.accessToken, app_id };
      assertError(await askAdmin(gateway, 'POST', onboardingsOf(newcomer), given), 400, 'VALIDATION_ERROR');
      assertError(await askAdmin(gateway, 'POST', linksOf(newcomer), { app_id }), 400, 'VALIDATION_ERROR');
      assertError(await repeat(gateway, newcomer, id, 'check_token', { app_id }), 400, 'VALIDATION_ERROR');
    }
  });

  it('deletion of an app: refused while a link or an unfinished onboarding has it', async () => {
    const { app, newcomer } = await createBoth();
    const path = `/apps/${app.id}`;
    const { id } = await begin(gateway, newcomer, { access_token: 'EAAunknown', app_id: app.id });
    await untilRests(gateway, newcomer, id);
    const link = await admin<{ id: string }>(gateway, 'POST', linksOf(newcomer), { app_id: app.id });
    assertError(await askAdmin(gateway, 'DELETE', path), 409, 'CONFLICT');
    await admin(gateway, 'DELETE', `${onboardingsOf(newcomer)}/${id}`);
    assertError(await askAdmin(gateway, 'DELETE', path), 409, 'CONFLICT');
    await admin(gateway, 'DELETE', `${linksOf(newcomer)}/${link.id}`);
    assert.equal((await askAdmin(gateway, 'DELETE', path)).status, 204);
  });

  const ask = (cookie: string, method: string, path: string, body?: unknown) =>
    call(gateway, undefined, method, `/setup/${path}`, {
      headers: { ...PAGE, cookie },
      ...(body !== undefined && { body }),
    });
  const cookieOf = (headers: Headers) => headers.get('set-cookie')?.split(';', 1)[0] ?? '';

  const beginDialog = async (session: string) => {
    const begun = await ask(session, 'POST', 'dialog', {});
    assert.equal(begun.status, 200, begun.text);
    return { cookie: cookieOf(begun.headers), dialog: new URL(begun.json.url) };
  };

  /** Returns from the dialog with a code of the newcomer's account; returns what the page shows then. */
  const signUp = async (cookie: string, state: string, { wabaId }: Newcomer) => {
    const code = world().issueSignupCode(wabaId, { redirectUri: `${address}/setup/callback` });
    const returned = await fetch(`${gateway.baseUrl}/setup/callback?${new URLSearchParams({ code, state })}`, {
      redirect: 'manual',
      headers: { cookie },
    });
    return (await ask(cookieOf(returned.headers), 'GET', 'session')).json;
  };
});
