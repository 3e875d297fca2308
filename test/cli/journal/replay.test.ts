import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { untilSettled } from '../../harness/events.ts';
import { freshRecipient, sendTemplate, untilStatus } from '../../harness/tenant.ts';

describeCommand('journal replay', (suite) => {
  it('a time range → its webhooks are applied again', async () => {
    const { gateway, tenant } = suite;
    await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, freshRecipient()), 'read');
    await untilSettled(gateway.app.db);
    const { code, json } = await suite.run(['--since', '1h', '--json']);
    assert.equal(code, 0);
    assert.ok(json.payloads >= 1, JSON.stringify(json));
    assert.equal((await suite.run(['--since', '2h', '--until', '1h', '--json'])).json.payloads, 0);
  });

  it('no range → exit code 2', async () => {
    assert.equal((await suite.run()).code, 2);
  });
});
