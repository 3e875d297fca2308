import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { createTenant } from '../../harness/tenant.ts';

describeCommand('tenants list', (suite) => {
  it('two tenants → both, newest first, and --limit keeps the newest', async () => {
    const { organizationId } = await createTenant(suite.gateway);
    const { json } = await suite.run(['--json']);
    const ids = json.data.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, [organizationId, suite.tenant.organizationId]);
    const { stdout } = await suite.run(['--limit', '1']);
    assert.match(stdout, new RegExp(`^ID .*\n${organizationId} +Tenant .*\n$`));
  });
});
