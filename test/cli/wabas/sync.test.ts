import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('wabas sync', (suite) => {
  it('an account → its numbers and templates as they are now', async () => {
    const { code, json } = await suite.run([suite.tenant.wabaId, '--json']);
    assert.deepEqual([code, json.waba_id, json.numbers.length], [0, suite.tenant.wabaId, 1]);
  });

  it('an unknown account → exit code 4', async () => {
    assert.equal((await suite.run(['71'])).code, 4);
  });
});
