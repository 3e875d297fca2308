import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { createTenant, freshRecipient, sendTemplate } from '../../harness/tenant.ts';

describeCommand('messages show', (suite) => {
  it('an id → the message, for its tenant only', async () => {
    const id = await sendTemplate(suite.gateway, suite.tenant, freshRecipient());
    assert.equal((await suite.run([id, '--json'])).json.id, id);
    const { apiKey } = await createTenant(suite.gateway);
    assert.equal((await suite.run([id], { env: { FAIRWAY_API_KEY: apiKey } })).code, 4);
  });
});
