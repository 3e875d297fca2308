import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { untilEvents } from '../../harness/events.ts';
import { freshRecipient, sendTemplate } from '../../harness/tenant.ts';

describeCommand('events list', (suite) => {
  it('--json → one event a line, and a cursor that continues', async () => {
    const id = await sendTemplate(suite.gateway, suite.tenant, freshRecipient());
    await untilEvents(suite.gateway, suite.tenant, id, 4);
    const args = ['--type', 'message.queued,message.sent', '--json'];
    const { code, stdout, stderr } = await suite.run([...args, '--limit', '1']);
    assert.equal(code, 0, stderr);
    const [, cursor = ''] = /Cursor: (\S+)/.exec(stderr) ?? [];
    const rest = await suite.run([...args, '--after', cursor]);
    const types = `${stdout}${rest.stdout}`
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    assert.deepEqual(types, ['message.queued', 'message.sent']);
    assert.match((await suite.run()).stdout, new RegExp(`message\\.delivered .*${id}`));
  });

  it('an unknown type → exit code 3', async () => {
    assert.equal((await suite.run(['--type', 'message.unknown'])).code, 3);
  });
});
