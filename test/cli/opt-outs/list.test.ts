import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { call, createTenant, freshRecipient } from '../../harness/tenant.ts';

describeCommand('opt-outs list', (suite) => {
  it('opt-outs → a table, newest first, narrowed by person, for their tenant only', async () => {
    assert.match((await suite.run()).stdout, /No opt-outs/);
    const [one, two] = [freshRecipient(), 'US.13491208655302741918'];
    for (const person of [one, two]) {
      const body = { phone_number_id: suite.tenant.phoneNumberId, person };
      await call(suite.gateway, suite.tenant, 'POST', '/v1/opt-outs', { body });
    }
    const { code, stdout } = await suite.run();
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^PERSON .*\\n${two} .*api.*\\n\\${one} .*api`));
    assert.equal((await suite.run(['--json', '--limit', '1'])).json.data.length, 1);
    const found = await suite.run(['--json', '--person', one, '--number', suite.tenant.phoneNumberId]);
    assert.equal(found.json.data[0].person, one.slice(1));
    const { apiKey } = await createTenant(suite.gateway);
    assert.deepEqual((await suite.run(['--json'], { env: { FAIRWAY_API_KEY: apiKey } })).json.data, []);
  });
});
