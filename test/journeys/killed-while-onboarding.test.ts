import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { openDatabase } from '../../src/database/database.ts';
import { createFurtherApp } from '../api/apps/further-app.ts';
import {
  begin,
  createNewcomer,
  type Newcomer,
  read,
  repeat,
  stepOf,
  untilRests,
  type View,
} from '../api/onboarding/onboarding.ts';
import { createTestDatabase, type Scope } from '../harness/database.ts';
import { type HoldingProxy, startHoldingProxy } from '../harness/holding-proxy.ts';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import { admin, type Served, sendsTo } from '../harness/tenant.ts';

/** Number of onboardings that a node works on at the same time. */
const AT_ONCE = 8;

type App = Awaited<ReturnType<typeof createFurtherApp>>;

/** A newcomer whose token belongs to an app of its own, so that each call to the platform belongs to one newcomer. */
interface Business {
  newcomer: Newcomer;
  app: App;
  /** Words of which each of its calls has one. */
  words: string[];
}

async function createWorld(t: Scope) {
  const { connectionString } = await createTestDatabase(t);
  const db = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => db.close());
  const proxy = await startHoldingProxy(() => new URL(gateway.simulator.baseUrl).origin);
  const gateway = await createRestartableGateway({
    DATABASE_URL: connectionString,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: 'operator',
  });
  t.after(async () => {
    await gateway.close();
    await proxy.close();
  });
  const { environment, simulator } = gateway;
  environment.UPSTREAM_BASE_URL = `${proxy.origin}${new URL(simulator.baseUrl).pathname}`;
  environment.PUBLIC_URL = `http://127.0.0.1:${environment.PORT}`;
  return {
    proxy,
    start: () => gateway.start(),
    /** Ends the claims of a killed node, and the time for the exchange of a code. */
    passTime: () =>
      db.query({ text: 'UPDATE onboarding SET claimed_until = NULL, due_at = now() WHERE due_at IS NOT NULL' }),
  };
}

async function createBusiness(gateway: Served): Promise<Business> {
  const app = await createFurtherApp(gateway);
  app.webhookUrl = null;
  const newcomer = await createNewcomer(gateway);
  const waba = gateway.simulator.world.accounts.findWaba(newcomer.wabaId);
  assert.ok(waba);
  waba.appId = app.id;
  return { newcomer, app, words: [app.id, newcomer.accessToken, newcomer.wabaId, newcomer.phoneNumberId] };
}

function beginOf(gateway: Served, { newcomer, app }: Business): Promise<View> {
  const { accessToken, recipient } = newcomer;
  return begin(gateway, newcomer, { access_token: accessToken, app_id: app.id, test_recipient: recipient });
}

/** Checks that an onboarding has reached its end, and that nothing was done twice with harm. */
async function assertDone(gateway: Served, proxy: HoldingProxy, business: Business, view: View): Promise<void> {
  const { newcomer, app, words } = business;
  const { world } = gateway.simulator;
  const story = JSON.stringify({ calls: proxy.callsOf(words), steps: view.steps }, null, 1);
  assert.equal(view.state, 'done', story);
  assert.equal(stepOf(view, 'test_message').state, 'done', story);
  assert.equal(sendsTo(gateway, newcomer.recipient).length, 1, story);
  assert.equal(app.webhookUrl, `${gateway.baseUrl}/webhooks/upstream/${app.id}`, story);
  assert.equal(world.accounts.findWaba(newcomer.wabaId)?.subscribed, true, story);
  const path = `/organizations/${newcomer.organizationId}/onboardings/${view.id}/pin`;
  const { pin } = await admin<{ pin: string }>(gateway, 'POST', path);
  assert.equal(world.edges.pins.get(newcomer.phoneNumberId), pin, story);
  const registrations = proxy.callsOf([`/${newcomer.phoneNumberId}/register`]);
  assert.ok(
    registrations.every(({ body }) => JSON.parse(body).pin === pin),
    story,
  );
}

describe('a gateway killed while it onboards', () => {
  it('SIGKILL before or after a call to the platform → one registration, one delivered message', async (t) => {
    const { proxy, start, passTime } = await createWorld(t);
    let gateway = await start();
    const first = await createBusiness(gateway);
    const { id } = await beginOf(gateway, first);
    await assertDone(gateway, proxy, first, await untilRests(gateway, first.newcomer, id));
    const calls = proxy.callsOf(first.words).map(({ name }) => name);
    t.diagnostic(calls.join(', '));
    const points = calls.flatMap((name, index) => [false, true].map((reaches) => ({ name, index, reaches })));
    for (let at = 0; at < points.length; at += AT_ONCE) {
      const killed = await Promise.all(
        points.slice(at, at + AT_ONCE).map(async (point) => {
          const business = await createBusiness(gateway);
          const held = proxy.hold(business.words, point.index, point.reaches);
          const { id } = await beginOf(gateway, business);
          await held;
          return { business, point, id };
        }),
      );
      gateway.kill('SIGKILL');
      await gateway.ended;
      await passTime();
      gateway = await start();
      for (const { business, point, id } of killed) {
        const view = await untilRests(gateway, business.newcomer, id);
        await assertDone(gateway, proxy, business, view);
        const registrations = proxy.callsOf([`/${business.newcomer.phoneNumberId}/register`]);
        const isRepeated = point.name.endsWith('/register') && !point.reaches;
        assert.equal(registrations.length, isRepeated ? 2 : 1, JSON.stringify(point));
      }
    }
  });

  it('SIGKILL while a code is exchanged → its step fails, and another code goes on', async (t) => {
    const { proxy, start, passTime } = await createWorld(t);
    let gateway = await start();
    const business = await createBusiness(gateway);
    const { newcomer, app, words } = business;
    const { world } = gateway.simulator;
    const redirect_uri = 'https://example.com/callback';
    const codeOf = () => world.issueSignupCode(newcomer.wabaId, { redirectUri: redirect_uri });
    const held = proxy.hold(words, 0, true);
    const given = { app_id: app.id, redirect_uri, test_recipient: newcomer.recipient };
    const lost = assert.rejects(begin(gateway, newcomer, { ...given, code: codeOf() }));
    await held;
    const { data } = await admin<{ data: View[] }>(
      gateway,
      'GET',
      `/organizations/${newcomer.organizationId}/onboardings`,
    );
    const id = data[0]?.id ?? '';
    gateway.kill('SIGKILL');
    await Promise.all([gateway.ended, lost]);
    await passTime();
    gateway = await start();
    const failed = await untilRests(gateway, newcomer, id);
    assert.deepEqual([failed.state, stepOf(failed, 'exchange_code').state], ['failed', 'failed']);
    const again = await repeat(gateway, newcomer, id, 'exchange_code', { code: codeOf(), redirect_uri });
    assert.equal(again.status, 200, again.text);
    await assertDone(gateway, proxy, business, await untilRests(gateway, newcomer, id));
    assert.equal((await read(gateway, newcomer, id)).state, 'done');
  });
});
