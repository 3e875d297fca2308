import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { createTenant } from '../../harness/tenant.ts';

describeCommand('wabas disconnect', (suite) => {
  it('an account → disconnected with --yes, and no other', async () => {
    const other = await createTenant(suite.gateway);
    assert.equal((await suite.run([other.wabaId])).code, 2);
    assert.equal((await suite.run([other.wabaId, '--yes'])).code, 0);
    const { json } = await suite.fairway(['wabas', 'list', '--json']);
    assert.deepEqual(
      json.data.map((row: { waba_id: string }) => row.waba_id),
      [suite.tenant.wabaId],
    );
  });
});
