import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { SAMPLE_FILES } from '../../harness/file-server.ts';
import { fill, useFileServer, useGateway, useTenant } from '../../harness/fixtures.ts';
import { UPSTREAM_APP } from '../../harness/gateway.ts';
import {
  admin,
  askAdmin,
  call,
  freshRecipient,
  readMessage,
  sendTemplate,
  until,
  untilStatus,
  writtenRecipient,
} from '../../harness/tenant.ts';
import { postWebhook } from '../../harness/upstream-webhook.ts';
import { createFurtherApp, createTenantOf } from './further-app.ts';

describe('accounts of several Meta apps', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.1/32'] });
  const files = useFileServer();
  const ofFirst = useTenant(gateway);
  const app = fill(() => createFurtherApp(gateway, { secret_proof: true }));
  const ofSecond = fill(() => createTenantOf(gateway, app.id));
  const world = () => gateway.simulator.world;
  afterEach(() => world().clearFaults());

  const handshake = async (path: string, token: string) => {
    const query = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': '42' });
    const response = await fetch(`${gateway.baseUrl}/webhooks/upstream${path}?${query}`);
    return [response.status, (await response.text()) === '42'];
  };

  it('connect: the app is learned from the platform, and shown', async () => {
    for (const [tenant, appId] of [
      [ofFirst, UPSTREAM_APP.appId],
      [ofSecond, app.id],
    ] as const) {
      const { data } = await admin<{ data: { app_id: string }[] }>(
        gateway,
        'GET',
        `/organizations/${tenant.organizationId}/wabas`,
      );
      assert.deepEqual(data[0]?.app_id, appId);
    }
  });

  it('webhooks: each app at its own address and at the one of all; no other secret counts', async () => {
    const [first, second] = [UPSTREAM_APP.appSecret, app.secret];
    for (const [appId, secret, status] of [
      [undefined, first, 200],
      [undefined, second, 200],
      [app.id, second, 200],
      [app.id, first, 401],
      [UPSTREAM_APP.appId, first, 200],
      [UPSTREAM_APP.appId, second, 401],
      ['12345', first, 401],
      [undefined, 'guess', 401],
    ] as const) {
      assert.equal((await postWebhook(gateway, {}, { secret, appId })).status, status, `${appId} ${secret}`);
    }
  });

  it('handshake: each verify token at its own address and at the one of all', async () => {
    const [first, second] = [UPSTREAM_APP.verifyToken, app.verifyToken];
    for (const [path, token, isKnown] of [
      ['', first, true],
      ['', second, true],
      ['', 'guess', false],
      [`/${app.id}`, second, true],
      [`/${app.id}`, first, false],
      [`/${UPSTREAM_APP.appId}`, first, true],
      ['/12345', first, false],
    ] as const) {
      assert.deepEqual(await handshake(path, token), [isKnown ? 200 : 403, isKnown], `${path} ${token}`);
    }
  });

  it('sends and statuses: with the proof and the webhooks of the own app', async () => {
    for (const tenant of [ofFirst, ofSecond]) {
      await writtenRecipient(gateway, tenant);
      await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, freshRecipient()), 'read');
    }
    const deliveries = await until('every webhook of the app is answered', () => {
      const ofApp = world()
        .deliveries()
        .filter(({ url }) => url.endsWith(`/${app.id}`));
      return ofApp.every(({ httpStatus }) => httpStatus !== null) ? ofApp : undefined;
    });
    assert.ok(deliveries.length > 0 && deliveries.every(({ httpStatus }) => httpStatus === 200));
  });

  it('samples of templates and uploads: opened at the own app', async () => {
    const header_handle = [files.serve('/sample', { body: SAMPLE_FILES.png })];
    for (const tenant of [ofFirst, ofSecond]) {
      const created = await call(gateway, tenant, 'POST', `/v1/${tenant.wabaId}/templates`, {
        body: {
          name: 'with_sample',
          language: 'en_US',
          category: 'UTILITY',
          components: [
            { type: 'HEADER', format: 'IMAGE', example: { header_handle } },
            { type: 'BODY', text: 'Here it is, as we promised.' },
          ],
        },
      });
      assert.equal(created.status, 200, created.text);
      const query = 'file_name=a.png&file_length=9&file_type=image/png';
      const opened = await call(gateway, tenant, 'POST', `/v24.0/app/uploads?${query}`);
      assert.equal(opened.status, 200, opened.text);
    }
    const paths = world()
      .calls.list()
      .map(({ url }) => url.split('?')[0]);
    for (const id of [UPSTREAM_APP.appId, app.id])
      assert.ok(
        paths.some((path) => path?.endsWith(`/${id}/uploads`)),
        id,
      );
  });

  it('sync: the subscription of the own app counts', async () => {
    for (const tenant of [ofFirst, ofSecond]) {
      const synced = await askAdmin(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`);
      assert.deepEqual([synced.json.webhooks_subscribed, synced.status], [true, 200], synced.text);
    }
  });

  it('doctor: each account is judged by its own app, and each app by its own subscription', async () => {
    const judge = async (check: string, subject: string) => {
      const { json } = await askAdmin(gateway, 'GET', `/doctor?check=${check}`);
      return json.findings.find((one: { subject: string }) => one.subject === subject)?.status;
    };
    for (const { wabaId } of [ofFirst, ofSecond]) assert.equal(await judge('token-app', `waba ${wabaId}`), 'ok');
    assert.equal(await judge('app-credentials', `app ${app.id}`), 'ok');
    world().addApp({ ...app, fields: ['security'] });
    assert.equal(await judge('app-fields', `app ${app.id}`), 'failed');
    world().addApp({ ...app, fields: null });
    await admin(gateway, 'PATCH', `/apps/${app.id}`, { secrets: ['not-the-secret', app.secret] });
    assert.equal(await judge('app-credentials', `app ${app.id}`), 'failed');
    await admin(gateway, 'PATCH', `/apps/${app.id}`, { secrets: [app.secret] });
  });

  it('a throttle of one app: the accounts of another app go on', async () => {
    world().addFault({ fault: { kind: 'error', code: 4 }, scope: { phoneNumberId: ofSecond.phoneNumberId } });
    const waiting = await sendTemplate(gateway, ofSecond, freshRecipient());
    await until('the app is throttled', async () => {
      const { numbers } = await admin<{ numbers: { waits_for: string[] }[] }>(
        gateway,
        'GET',
        `/queue?phone_number_id=${ofSecond.phoneNumberId}`,
      );
      return numbers[0]?.waits_for.some((reason) => reason.startsWith('parked')) || undefined;
    });
    await untilStatus(gateway, ofFirst, await sendTemplate(gateway, ofFirst, freshRecipient()), 'read');
    assert.equal((await readMessage(gateway, ofSecond, waiting)).status, 'queued');
  });
});
