import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { freshRecipient } from '../../harness/tenant.ts';

describeCommand('trigger call', (suite) => {
  it('a call → its id, and an open window', async () => {
    const person = freshRecipient();
    const send = ['send', '--to', person, 'You called?'];
    assert.equal((await suite.fairway(send)).code, 3);
    const { code, stdout, stderr } = await suite.run(['--from', person, '--answered']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^call +wacid\.\S+/);
    assert.equal((await suite.fairway(send)).code, 0);
  });
});
