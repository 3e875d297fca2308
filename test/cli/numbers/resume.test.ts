import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { freshRecipient, pause, sendTemplate, untilStatus } from '../../harness/tenant.ts';

describeCommand('numbers resume', (suite) => {
  it('a paused number → its waiting messages are sent', async () => {
    await pause(suite.gateway, suite.tenant);
    const id = await sendTemplate(suite.gateway, suite.tenant, freshRecipient());
    const { code, json } = await suite.run([suite.tenant.phoneNumberId, '--json']);
    assert.deepEqual([code, json.paused], [0, false]);
    await untilStatus(suite.gateway, suite.tenant, id, 'read');
  });
});
