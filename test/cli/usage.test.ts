import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../harness/cli.ts';
import { call, createTenant, freshRecipient, sendTemplate, until } from '../harness/tenant.ts';

describeCommand('usage', (suite) => {
  it('an API key → the sums of its tenant and of no other', async () => {
    const stranger = await createTenant(suite.gateway);
    for (let sends = 0; sends < 2; sends += 1) await sendTemplate(suite.gateway, stranger, freshRecipient());
    await sendTemplate(suite.gateway, suite.tenant, freshRecipient());
    await until('a delivered message', async () => {
      const { json } = await call(suite.gateway, suite.tenant, 'GET', '/v1/usage');
      return json.delivered === 1 || undefined;
    });
    const { code, stdout } = await suite.run();
    assert.equal(code, 0);
    assert.match(stdout, /^accepted +1$/m);
    assert.match(stdout, /^ {2}marketing +1$/m);
  });

  it('--group-by → a table with a row for each group', async () => {
    const { code, stdout } = await suite.run(['--group-by', 'country,category']);
    assert.equal(code, 0);
    assert.match(stdout, /^COUNTRY +CATEGORY +MESSAGES +CHARGED\n\S+ +marketing +1 +\S+$/m);
    assert.equal((await suite.run(['--group-by', 'colour'])).code, 3);
  });

  it('--tenant → the same sums with the token of an operator', async () => {
    const env = { FAIRWAY_API_KEY: undefined };
    const { json } = await suite.run(['--tenant', suite.tenant.organizationId, '--json'], { env });
    assert.deepEqual(json, (await suite.run(['--json'])).json);
  });

  it('--month of the past → nothing; a word → exit code 2', async () => {
    const { json } = await suite.run(['--month', '2020-01', '--json']);
    assert.deepEqual([json.month, json.accepted], ['2020-01', 0]);
    assert.equal((await suite.run(['--month', 'May'])).code, 2);
  });
});
