import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('trigger change', (suite) => {
  it('a change of the account → posted to the gateway', async () => {
    const value = '{"event": "ACCOUNT_RESTRICTION"}';
    const { code, stdout, stderr } = await suite.run(['account_update', value, '--waba', suite.tenant.wabaId]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^webhook +delivered, answered 200$/m);
  });

  it('a value that is no object → exit code 2', async () => {
    assert.equal((await suite.run(['account_update', 'no', '--waba', suite.tenant.wabaId])).code, 2);
  });
});
