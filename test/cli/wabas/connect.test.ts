import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createFurtherApp } from '../../api/apps/further-app.ts';
import { describeCommand } from '../../harness/cli.ts';
import { UPSTREAM_APP } from '../../harness/gateway.ts';

describeCommand('wabas connect', (suite) => {
  const target = () => [suite.tenant.organizationId, suite.tenant.wabaId];
  const token = () => suite.gateway.simulator.world.accounts.findWaba(suite.tenant.wabaId)!.accessToken;

  it('a token from the environment → connected', async () => {
    const { code, json } = await suite.run([...target(), '--json'], { env: { FAIRWAY_WABA_TOKEN: token() } });
    assert.deepEqual([code, json.numbers[0].phone_number_id], [0, suite.tenant.phoneNumberId]);
  });

  it('a token from standard input → connected', async () => {
    const connect = suite.start(target());
    await connect.until(/from standard input/);
    connect.type(`${token()}\n`);
    const { code, stdout, stderr } = await connect.ended;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^webhooks +subscribed$/m);
  });

  it('a terminal → asked for the token, which no output shows', async () => {
    const connect = suite.start(target(), { terminal: true });
    await connect.until(/Access token/);
    connect.type(`${token()}\r`);
    const { code, stdout } = await connect.ended;
    assert.equal(code, 0, stdout);
    assert.ok(!stdout.includes(token()));
  });

  it('--app → the account has this app; an unknown one is refused', async () => {
    const env = { FAIRWAY_WABA_TOKEN: token() };
    const app = await createFurtherApp(suite.gateway);
    const { code, json, stderr } = await suite.run([...target(), '--app', app.id, '--json'], { env });
    assert.deepEqual([code, json?.app_id], [0, app.id], stderr);
    assert.match((await suite.run([...target(), '--app', UPSTREAM_APP.appId], { env })).stdout, /^app +\d+$/m);
    const unknown = await suite.run([...target(), '--app', '12345'], { env });
    assert.equal(unknown.code, 3);
    assert.match(unknown.stderr, /app_id/);
  });

  it('a token that the platform refuses → exit code 3, and no output shows it', async () => {
    const { code, stdout, stderr } = await suite.run(target(), { env: { FAIRWAY_WABA_TOKEN: 'EAAwrong' } });
    assert.equal(code, 3);
    assert.doesNotMatch(stdout + stderr, /EAAwrong/);
  });
});
