import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createFurtherApp } from '../api/apps/further-app.ts';
import { createNewcomer, statesOf } from '../api/onboarding/onboarding.ts';
import { describeCommand } from '../harness/cli.ts';
import { sendsTo } from '../harness/tenant.ts';

const PAGE = { 'fairway-console': '1', 'sec-fetch-site': 'same-origin' };

describeCommand('onboard', (suite) => {
  it('a token → each step as it changes, then a table, exit code 0', async () => {
    const newcomer = await createNewcomer(suite.gateway);
    const env = { FAIRWAY_WABA_TOKEN: newcomer.accessToken };
    const { code, stdout, stderr } = await suite.run([newcomer.organizationId, '--to', newcomer.recipient], { env });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^check_token: done\. The token is valid/m);
    assert.match(stdout, /^test_message +done +- +The test message was delivered\./m);
    assert.ok(!(stdout + stderr).includes(newcomer.accessToken));
    assert.equal(sendsTo(suite.gateway, newcomer.recipient).length, 1);
  });

  it('--json, account and number given → the onboarding as JSON', async () => {
    const newcomer = await createNewcomer(suite.gateway);
    const env = { FAIRWAY_WABA_TOKEN: newcomer.accessToken };
    const options = ['--waba', newcomer.wabaId, '--number', newcomer.phoneNumberId, '--json'];
    const { code, json } = await suite.run([newcomer.organizationId, ...options], { env });
    assert.equal(code, 0);
    assert.deepEqual([json.waba_id, json.phone_number_id], [newcomer.wabaId, newcomer.phoneNumberId]);
    assert.equal(statesOf(json).register_number, 'done');
  });

  it('--app → onboarding with this app; an unknown one is refused', async () => {
    const newcomer = await createNewcomer(suite.gateway);
    const app = await createFurtherApp(suite.gateway);
    const waba = suite.gateway.simulator.world.accounts.findWaba(newcomer.wabaId);
    assert.ok(waba);
    waba.appId = app.id;
    const env = { FAIRWAY_WABA_TOKEN: newcomer.accessToken };
    const { json } = await suite.run([newcomer.organizationId, '--app', app.id, '--json'], { env });
    assert.equal(json.app_id, app.id);
    assert.equal(statesOf(json).connect_account, 'done');
    const { code, stderr } = await suite.run([newcomer.organizationId, '--app', '12345'], { env });
    assert.notEqual(code, 0);
    assert.match(stderr, /app_id/);
  });

  it('a template that is absent → its advice, exit code 7', async () => {
    const newcomer = await createNewcomer(suite.gateway);
    const env = { FAIRWAY_WABA_TOKEN: newcomer.accessToken };
    const options = ['--to', newcomer.recipient, '--template', 'absent', '--language', 'de', '--json'];
    const { code, json } = await suite.run([newcomer.organizationId, ...options], { env });
    assert.equal(code, 7);
    assert.match(json.steps.at(-1).advice, /Create the template absent in de/);
  });

  it('--link → the link, then the steps of the person who uses it', async () => {
    const newcomer = await createNewcomer(suite.gateway);
    const started = suite.start([newcomer.organizationId, '--link', '--to', newcomer.recipient]);
    await started.until(/\/setup#[\w-]+\n/);
    const { data } = await listLinks(newcomer.organizationId);
    assert.equal(data.length, 1);
    started.interrupt();
    const { code, stderr } = await started.ended;
    assert.equal(code, 130);
    const secret = /\/setup#([\w-]+)/.exec(stderr)?.[1] ?? '';
    const opened = await fetch(`${suite.gateway.baseUrl}/setup/session`, {
      method: 'POST',
      headers: { ...PAGE, 'content-type': 'application/json' },
      body: JSON.stringify({ secret }),
    });
    assert.equal(opened.status, 204);
  });

  async function listLinks(organizationId: string): Promise<{ data: unknown[] }> {
    const path = `/admin/v1/organizations/${organizationId}/setup-links`;
    const headers = { authorization: `Bearer ${suite.gateway.adminToken}` };
    return (await fetch(`${suite.gateway.baseUrl}${path}`, { headers })).json() as Promise<{ data: unknown[] }>;
  }
});
