import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('trigger recover', (suite) => {
  it('faults → ended', async () => {
    await suite.fairway(['trigger', 'fault', 'hang', '--everywhere']);
    const { code, stdout } = await suite.run();
    assert.equal(code, 0);
    assert.match(stdout, /Ended 1 fault\./);
    assert.match((await suite.run()).stdout, /Ended 0 faults\./);
  });
});
