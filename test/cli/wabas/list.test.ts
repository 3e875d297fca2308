import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { UPSTREAM_APP } from '../../harness/gateway.ts';
import { createTenant } from '../../harness/tenant.ts';

describeCommand('wabas list', (suite) => {
  it('two tenants → the accounts of both, or of --tenant', async () => {
    const other = await createTenant(suite.gateway);
    const { stdout } = await suite.run();
    for (const { wabaId } of [suite.tenant, other]) assert.match(stdout, new RegExp(`^${wabaId} +subscribed`, 'm'));
    assert.match(stdout, new RegExp(`^${other.wabaId} .* ${UPSTREAM_APP.appId} +${other.organizationId}`, 'm'));
    const { json } = await suite.run(['--tenant', other.organizationId, '--json']);
    assert.deepEqual(
      json.data.map((row: { waba_id: string }) => row.waba_id),
      [other.wabaId],
    );
  });
});
