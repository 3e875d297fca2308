import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { call, createTenant } from '../../harness/tenant.ts';

describeCommand('webhooks list', (suite) => {
  it('endpoints → a table without secrets, newest first, for their tenant only', async () => {
    assert.match((await suite.run()).stdout, /No endpoints/);
    const secrets: string[] = [];
    for (const path of ['one', 'two']) {
      const body = { url: `https://hooks.example.com/${path}`, events: ['message.failed'] };
      const { json } = await call(suite.gateway, suite.tenant, 'POST', '/v1/webhooks', { body });
      secrets.push(json.secret);
    }
    const { code, stdout } = await suite.run();
    assert.equal(code, 0);
    assert.match(stdout, /^ID .*\n.*\/two +enabled.*message\.failed.*\n.*\/one +enabled/);
    for (const secret of secrets) assert.ok(!stdout.includes(secret));
    assert.equal((await suite.run(['--json'])).json.data.length, 2);
    const { apiKey } = await createTenant(suite.gateway);
    assert.deepEqual((await suite.run(['--json'], { env: { FAIRWAY_API_KEY: apiKey } })).json.data, []);
  });
});
