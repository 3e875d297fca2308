import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { freshRecipient, sendTemplate } from '../../harness/tenant.ts';

describeCommand('tenants show', (suite) => {
  it('a tenant → settings, plan and usage', async () => {
    await sendTemplate(suite.gateway, suite.tenant, freshRecipient());
    const { code, stdout } = await suite.run([suite.tenant.organizationId]);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^id +${suite.tenant.organizationId}$`, 'm'));
    assert.match(stdout, /^monthly messages +unlimited$/m);
    const { json } = await suite.run([suite.tenant.organizationId, '--json']);
    assert.deepEqual([json.plan.active, json.usage.accepted], [true, 1]);
  });

  it('an unknown tenant → exit code 4', async () => {
    assert.equal((await suite.run(['0199c0de-0000-7000-8000-000000000001'])).code, 4);
  });
});
