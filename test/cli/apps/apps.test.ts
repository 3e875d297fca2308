import assert from 'node:assert/strict';
import { it } from 'node:test';
import { appBody, createFurtherApp } from '../../api/apps/further-app.ts';
import { type CliRun, describeCommand } from '../../harness/cli.ts';
import { type Gateway, UPSTREAM_APP } from '../../harness/gateway.ts';
import { admin, askAdmin, createTenant } from '../../harness/tenant.ts';
import { postWebhook } from '../../harness/upstream-webhook.ts';

type AppBody = ReturnType<typeof appBody>;

/** Creates an app by the admin API. */
async function createApp(gateway: Gateway): Promise<AppBody> {
  const body = appBody();
  await admin(gateway, 'POST', '/apps', body);
  return body;
}

/** Returns the environment with the secrets of an app. */
function secretsOf({ secrets, verify_token }: AppBody) {
  return { FAIRWAY_APP_SECRET: secrets.join(','), FAIRWAY_VERIFY_TOKEN: verify_token };
}

function assertHidden({ stdout, stderr }: CliRun, ...secrets: readonly string[]): void {
  for (const secret of secrets) assert.ok(!(stdout + stderr).includes(secret), secret);
}

async function isAccepted(gateway: Gateway, appId: string, secret: string): Promise<boolean> {
  return (await postWebhook(gateway, {}, { secret, appId })).status === 200;
}

describeCommand('apps create', (suite) => {
  it('secrets from the environment → an app whose webhooks are accepted; no output has a secret', async () => {
    const body = appBody();
    const options = ['--proof', 'on', '--signup-configuration', '77', '--json'];
    const run = await suite.run([body.app_id, body.name, ...options], { env: secretsOf(body) });
    assert.deepEqual([run.code, run.json.secret_proof, run.json.signup_configuration_id], [0, true, '77']);
    assertHidden(run, ...body.secrets, body.verify_token);
    assert.ok(await isAccepted(suite.gateway, body.app_id, body.secrets[0] ?? ''));
    const again = await suite.run([body.app_id, body.name], { env: secretsOf(body) });
    assert.equal(again.code, 3);
    assertHidden(again, ...body.secrets, body.verify_token);
  });

  it('secrets from standard input, a line each → an app', async () => {
    const body = appBody();
    const create = suite.start([body.app_id, body.name]);
    await create.until(/from standard input/);
    create.type(`${body.secrets[0]},other-secret\n${body.verify_token}\n`);
    const run = await create.ended;
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stdout, new RegExp(`^webhooks +/webhooks/upstream/${body.app_id}$`, 'm'));
    assert.match(run.stdout, /^secrets +2, changed/m);
    assertHidden(run, ...body.secrets, 'other-secret', body.verify_token);
  });

  it('a terminal → asked for both, and no output shows them', async () => {
    const body = appBody();
    const create = suite.start([body.app_id, body.name], { terminal: true });
    await create.until(/App secret/);
    create.type(`${body.secrets[0]}\r`);
    await create.until(/Verify token/);
    create.type(`${body.verify_token}\r`);
    const run = await create.ended;
    assert.equal(run.code, 0, run.stdout);
    assertHidden(run, ...body.secrets, body.verify_token);
    assert.ok(await isAccepted(suite.gateway, body.app_id, body.secrets[0] ?? ''));
  });

  it('no secret or three, no verify token or a short one → no app, and no output has a secret', async () => {
    const body = appBody();
    const cases: [change: object, code: number][] = [
      [{ FAIRWAY_APP_SECRET: ',' }, 2],
      [{ FAIRWAY_APP_SECRET: 'one-secret,two-secret,three-secret' }, 2],
      [{ FAIRWAY_APP_SECRET: 'with blank' }, 2],
      [{ FAIRWAY_VERIFY_TOKEN: 'short-token' }, 3],
    ];
    for (const [change, code] of cases) {
      const env = { ...secretsOf(body), ...change };
      const run = await suite.run([body.app_id, body.name], { env });
      assert.equal(run.code, code, run.stderr);
      assertHidden(run, 'one-secret', 'with blank', 'short-token', ...body.secrets);
    }
    const create = suite.start([body.app_id, body.name], { env: { FAIRWAY_APP_SECRET: 'one-secret' } });
    create.endInput();
    assert.equal((await create.ended).code, 2);
    assert.equal((await askAdmin(suite.gateway, 'GET', `/apps/${body.app_id}`)).status, 404);
  });
});

describeCommand('apps list', (suite) => {
  it('no app, then two → a row each, with the app of the environment', async () => {
    assert.match((await suite.run()).stdout, new RegExp(`${UPSTREAM_APP.appId}.*no further apps`));
    const [one, two] = [await createApp(suite.gateway), await createApp(suite.gateway)];
    const run = await suite.run();
    for (const { app_id, name } of [one, two]) assert.match(run.stdout, new RegExp(`^${app_id} +${name} +1 `, 'm'));
    assertHidden(run, ...one.secrets, one.verify_token);
    const { json } = await suite.run(['--json']);
    assert.deepEqual([json.default_app_id, json.data.length], [UPSTREAM_APP.appId, 2]);
  });
});

describeCommand('apps show', (suite) => {
  it('an app → its fields without secrets; an unknown one → exit code 4', async () => {
    const body = await createApp(suite.gateway);
    const run = await suite.run([body.app_id]);
    assert.match(run.stdout, new RegExp(`^name +${body.name}$`, 'm'));
    assertHidden(run, ...body.secrets, body.verify_token);
    assert.equal((await suite.run(['12345'])).code, 4);
  });
});

describeCommand('apps update', (suite) => {
  it('a rotation → both secrets, then the new one alone; the name stays', async () => {
    const { app_id, name, secrets } = await createApp(suite.gateway);
    const [present = ''] = secrets;
    const rotate = async (text: string) => {
      const run = await suite.run([app_id, '--secrets', '--json'], { env: { FAIRWAY_APP_SECRET: text } });
      assert.deepEqual([run.code, run.json.name], [0, name], run.stderr);
      assertHidden(run, 'next-secret', present);
      const { gateway } = suite;
      return [await isAccepted(gateway, app_id, present), await isAccepted(gateway, app_id, 'next-secret')];
    };
    assert.deepEqual(await rotate(`next-secret,${present}`), [true, true]);
    assert.deepEqual(await rotate('next-secret'), [false, true]);
  });

  it('a verify token → asked for it alone; the app answers it', async () => {
    const { app_id } = await createApp(suite.gateway);
    const update = suite.start([app_id, '--verify-token'], { terminal: true });
    await update.until(/Verify token/);
    update.type('another-verify-token\r');
    const run = await update.ended;
    assert.equal(run.code, 0, run.stdout);
    assertHidden(run, 'another-verify-token', 'App secret');
    const query = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.verify_token': 'another-verify-token',
      'hub.challenge': '17',
    });
    const answer = await fetch(`${suite.gateway.baseUrl}/webhooks/upstream/${app_id}?${query}`);
    assert.equal(await answer.text(), '17');
  });

  it('name, proof, configuration → changed; configuration none → removed; no option → code 2', async () => {
    const { app_id } = await createApp(suite.gateway);
    const options = ['--name', 'Port', '--proof', 'on', '--signup-configuration', '78', '--json'];
    const { json } = await suite.run([app_id, ...options]);
    assert.deepEqual([json.name, json.secret_proof, json.signup_configuration_id], ['Port', true, '78']);
    const back = (await suite.run([app_id, '--proof', 'off', '--signup-configuration', 'none', '--json'])).json;
    assert.deepEqual([back.name, back.secret_proof, back.signup_configuration_id], ['Port', false, null]);
    assert.equal((await suite.run([app_id])).code, 2);
    assert.equal((await suite.run(['12345', '--name', 'Port'])).code, 4);
  });
});

describeCommand('apps delete', (suite) => {
  it('app of an account → refused, exit code 3; a no in a terminal → it stays; --yes → deleted', async () => {
    const { id } = await createFurtherApp(suite.gateway);
    const { wabaId } = await createTenant(suite.gateway);
    await admin(suite.gateway, 'PATCH', `/wabas/${wabaId}`, { app_id: id });
    const refused = await suite.run([id, '--yes']);
    assert.equal(refused.code, 3);
    assert.match(refused.stderr, /accounts/);
    await admin(suite.gateway, 'PATCH', `/wabas/${wabaId}`, { app_id: null });
    const asked = suite.start([id], { terminal: true });
    await asked.until(/Delete app/);
    asked.type('n\r');
    assert.equal((await asked.ended).code, 7);
    assert.equal((await askAdmin(suite.gateway, 'GET', `/apps/${id}`)).status, 200);
    assert.match((await suite.run([id, '--yes'])).stdout, /^Deleted app/);
    assert.equal((await suite.run([id, '--yes'])).code, 4);
  });
});
