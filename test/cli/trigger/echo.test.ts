import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { untilEvent } from '../../harness/events.ts';
import { freshRecipient } from '../../harness/tenant.ts';

describeCommand('trigger echo', (suite) => {
  it('a message of the business app → an event of the tenant', async () => {
    const { code, stdout, stderr } = await suite.run(['--to', freshRecipient(), 'We are closed today']);
    assert.equal(code, 0, stderr);
    const [, wamid] = /^wamid +(\S+)/.exec(stdout) ?? [];
    await untilEvent(suite.gateway, suite.tenant, 'message.echoed', ({ data }) => data.message.id === wamid);
  });
});
