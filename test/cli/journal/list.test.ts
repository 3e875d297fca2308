import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { untilSettled } from '../../harness/events.ts';
import { freshRecipient, sendTemplate, until, untilStatus } from '../../harness/tenant.ts';
import { postWebhook } from '../../harness/upstream-webhook.ts';

describeCommand('journal list', (suite) => {
  it('webhooks → received, oldest first, with their fields; --failed → only failed ones', async () => {
    const { gateway, tenant } = suite;
    await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, freshRecipient()), 'read');
    await postWebhook(gateway, 'no json');
    await untilSettled(gateway.app.db);
    // Payloads from after the connection of an account are applied once more.
    const list = await until('every payload is applied', async () => {
      const { code, stdout } = await suite.run();
      assert.equal(code, 0);
      return / pending /.test(stdout) ? undefined : stdout;
    });
    assert.match(list, new RegExp(`^\\d+ .* applied +messages +${tenant.wabaId} `, 'm'));
    const failed = await until('the payload has failed', async () => {
      const { json } = await suite.run(['--failed', '--json']);
      return json.data.length > 0 ? json.data : undefined;
    });
    assert.deepEqual(
      failed.map((entry: { payload_base64: string }) => Buffer.from(entry.payload_base64, 'base64').toString()),
      ['no json'],
    );
    assert.equal((await suite.run(['--limit', '1', '--json'])).json.data.length, 1);
    assert.match((await suite.run(['--until', '1h'])).stdout, /No webhooks/);
  });
});
