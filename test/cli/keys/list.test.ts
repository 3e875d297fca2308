import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { createTenant, issueKey } from '../../harness/tenant.ts';

describeCommand('keys list', (suite) => {
  it('a tenant → its keys without their secrets, and no other', async () => {
    const other = await createTenant(suite.gateway);
    const { id } = await issueKey(suite.gateway, suite.tenant);
    const { stdout } = await suite.run([suite.tenant.organizationId]);
    assert.match(stdout, new RegExp(`^ID .*\n${id} +test +fw_`));
    assert.ok(!stdout.includes(suite.tenant.apiKey));
    assert.equal((await suite.run([suite.tenant.organizationId, '--json'])).json.data.length, 2);
    assert.equal((await suite.run([other.organizationId, '--json'])).json.data.length, 1);
  });
});
