import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { createTenant, pause } from '../../harness/tenant.ts';

describeCommand('numbers list', (suite) => {
  it('two tenants → the numbers of both, or of --tenant', async () => {
    const other = await createTenant(suite.gateway);
    await pause(suite.gateway, other);
    const { stdout } = await suite.run();
    assert.match(stdout, new RegExp(`^${suite.tenant.phoneNumberId} +\\+${suite.tenant.phoneNumber} +sends `, 'm'));
    assert.match(stdout, new RegExp(`^${other.phoneNumberId} .* paused `, 'm'));
    const { json } = await suite.run(['--tenant', other.organizationId, '--json']);
    assert.deepEqual(
      json.data.map((row: { phone_number_id: string }) => row.phone_number_id),
      [other.phoneNumberId],
    );
  });
});
