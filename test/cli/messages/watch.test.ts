import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { freshRecipient, sendTemplate } from '../../harness/tenant.ts';

describeCommand('messages watch', (suite) => {
  it('a send → its statuses, until Ctrl-C', async () => {
    for (const terminal of [true, false]) {
      const watch = suite.start([], { terminal });
      await watch.until(/Watching/);
      const id = await sendTemplate(suite.gateway, suite.tenant, freshRecipient());
      await watch.until(new RegExp(`delivered.*${id}`));
      watch.interrupt();
      assert.equal((await watch.ended).code, 130);
    }
  });
});
