import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('simulate', (suite) => {
  it('any free port → runs until it is stopped', async () => {
    const simulate = suite.start(['--port', '0']);
    await simulate.until(/http:\/\/127\.0\.0\.1:\d+/);
    simulate.interrupt();
    assert.equal((await simulate.ended).code, 0);
  });
});
