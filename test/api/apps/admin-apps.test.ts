import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useFurtherNode, useGateway, useTenant } from '../../harness/fixtures.ts';
import { UPSTREAM_APP } from '../../harness/gateway.ts';
import { admin, askAdmin, connectWaba } from '../../harness/tenant.ts';
import { postWebhook } from '../../harness/upstream-webhook.ts';
import { appBody } from './further-app.ts';

const SHOWN = { secret_proof: false, signup_configuration_id: null };

describe('further Meta apps in the admin API', () => {
  const gateway = useGateway({ isOneOfSeveral: true });
  const node = useFurtherNode(gateway);
  const tenant = useTenant(gateway);

  it('create, read, change, list, delete: no answer has a secret', async () => {
    const body = appBody();
    const path = `/apps/${body.app_id}`;
    const created = await askAdmin(gateway, 'POST', '/apps', body);
    assert.equal(created.status, 201, created.text);
    const { created_at, secrets_changed_at, ...rest } = created.json;
    assert.deepEqual(rest, { app_id: body.app_id, name: body.name, secrets: 1, ...SHOWN });
    assert.equal(created_at, secrets_changed_at);
    const renamed = await askAdmin(gateway, 'PATCH', path, { name: 'Renamed', signup_configuration_id: '77' });
    assert.deepEqual(
      [renamed.json.name, renamed.json.signup_configuration_id, renamed.json.secrets_changed_at],
      ['Renamed', '77', secrets_changed_at],
    );
    const rotated = await askAdmin(gateway, 'PATCH', path, { secrets: ['next-secret', ...body.secrets] });
    assert.equal(rotated.json.secrets, 2);
    assert.notEqual(rotated.json.secrets_changed_at, secrets_changed_at);
    const listed = await askAdmin(gateway, 'GET', '/apps');
    assert.equal(listed.json.default_app_id, UPSTREAM_APP.appId);
    const read = await askAdmin(gateway, 'GET', path);
    assert.deepEqual(
      listed.json.data.find((app: { app_id: string }) => app.app_id === body.app_id),
      read.json,
    );
    for (const { text } of [created, renamed, rotated, listed, read]) {
      for (const secret of [...body.secrets, 'next-secret', body.verify_token]) assert.ok(!text.includes(secret));
    }
    assert.equal((await askAdmin(gateway, 'DELETE', path)).status, 204);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      assertError(await askAdmin(gateway, method, path, method === 'PATCH' ? {} : undefined), 404, 'NOT_FOUND');
    }
  });

  it('a body that is not valid: 400; an id that is taken or of the environment: 409', async () => {
    const body = appBody();
    for (const change of [
      { app_id: 'abc' },
      { app_id: '' },
      { secrets: [] },
      { secrets: ['a', 'b', 'c'] },
      { secrets: [''] },
      { secrets: 'a-secret' },
      { verify_token: 'short' },
      { name: '' },
      { other: 1 },
    ]) {
      assertError(await askAdmin(gateway, 'POST', '/apps', { ...body, ...change }), 400, 'VALIDATION_ERROR');
    }
    await admin(gateway, 'POST', '/apps', body);
    assertError(await askAdmin(gateway, 'POST', '/apps', body), 409, 'CONFLICT');
    assertError(await askAdmin(gateway, 'POST', '/apps', appBody({ app_id: UPSTREAM_APP.appId })), 409, 'CONFLICT');
  });

  it('an app of an account: shown, no deletion, gone after the account changes its app', async () => {
    const body = appBody();
    await admin(gateway, 'POST', '/apps', body);
    const waba = `/wabas/${tenant.wabaId}`;
    const changed = await askAdmin(gateway, 'PATCH', waba, { app_id: body.app_id });
    assert.equal(changed.json.app_id, body.app_id, changed.text);
    const { data } = await admin<{ data: { app_id: string }[] }>(
      gateway,
      'GET',
      `/organizations/${tenant.organizationId}/wabas`,
    );
    assert.deepEqual(data[0]?.app_id, body.app_id);
    assertError(await askAdmin(gateway, 'DELETE', `/apps/${body.app_id}`), 409, 'CONFLICT');
    assertError(await askAdmin(gateway, 'PATCH', waba, { app_id: '1234' }), 400, 'VALIDATION_ERROR');
    assert.equal((await askAdmin(gateway, 'PATCH', waba, { app_id: null })).json.app_id, UPSTREAM_APP.appId);
    assert.equal((await askAdmin(gateway, 'DELETE', `/apps/${body.app_id}`)).status, 204);
    await connectWaba(gateway, tenant.organizationId, tenant.wabaId);
  });

  it('a change: in force on another node after its answer there', async () => {
    const body = appBody();
    const post = (secret: string) => postWebhook(node, {}, { secret, appId: body.app_id });
    assert.equal((await post('first-secret')).status, 401);
    await admin(node, 'POST', '/apps', { ...body, secrets: ['first-secret'] });
    assert.equal((await post('first-secret')).status, 200);
    await admin(node, 'PATCH', `/apps/${body.app_id}`, { secrets: ['second-secret'] });
    assert.deepEqual([(await post('first-secret')).status, (await post('second-secret')).status], [401, 200]);
  });

  it('audit: names the change and no secret', async () => {
    const body = appBody();
    await admin(gateway, 'POST', '/apps', body);
    await admin(gateway, 'PATCH', `/apps/${body.app_id}`, { secrets: ['changed-secret'] });
    const log = await askAdmin(gateway, 'GET', `/audit?object=${body.app_id}`);
    assert.deepEqual(
      log.json.data.map(({ operation }: { operation: string }) => operation),
      ['updateApp', 'createApp'],
    );
    for (const secret of [...body.secrets, 'changed-secret', body.verify_token]) assert.ok(!log.text.includes(secret));
  });
});
