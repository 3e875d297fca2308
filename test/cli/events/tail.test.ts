import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { freshRecipient, sendTemplate } from '../../harness/tenant.ts';

describeCommand('events tail', (suite) => {
  it('a send → its events of the chosen type, until Ctrl-C', async () => {
    const tail = suite.start(['--type', 'message.delivered', '--json']);
    await tail.until(/Ctrl-C ends/);
    const id = await sendTemplate(suite.gateway, suite.tenant, freshRecipient());
    await tail.until(new RegExp(id));
    tail.interrupt();
    const { code, json } = await tail.ended;
    assert.equal(code, 130);
    assert.deepEqual([json.type, json.data.id], ['message.delivered', id]);
  });
});
