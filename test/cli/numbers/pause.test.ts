import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('numbers pause', (suite) => {
  it('a number → paused', async () => {
    const { code, stdout } = await suite.run([suite.tenant.phoneNumberId]);
    assert.equal(code, 0);
    assert.match(stdout, /^state +paused$/m);
    const { json } = await suite.fairway(['numbers', 'list', '--json']);
    assert.equal(json.data[0].paused, true);
  });

  it('an unknown number → exit code 4', async () => {
    assert.equal((await suite.run(['1'])).code, 4);
  });
});
