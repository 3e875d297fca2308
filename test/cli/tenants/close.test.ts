import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { createTenant } from '../../harness/tenant.ts';

describeCommand('tenants close', (suite) => {
  it('a tenant → closed with --yes or after a confirmation, and no other', async () => {
    const closed = await createTenant(suite.gateway);
    const env = { FAIRWAY_API_KEY: closed.apiKey };
    const refused = suite.start([closed.organizationId], { terminal: true });
    await refused.until(/disconnect business accounts \(1\)\?/);
    refused.type('n\r');
    assert.equal((await refused.ended).code, 7);
    assert.equal((await suite.fairway(['messages', 'list'], { env })).code, 0);
    assert.equal((await suite.run([closed.organizationId, '--yes'])).code, 0);
    assert.equal((await suite.fairway(['messages', 'list'], { env })).code, 5);
    assert.equal((await suite.fairway(['messages', 'list'])).code, 0);
  });

  it('no terminal and no --yes → exit code 2 and nothing closed', async () => {
    assert.equal((await suite.run([suite.tenant.organizationId])).code, 2);
    assert.equal((await suite.fairway(['messages', 'list'])).code, 0);
  });
});
