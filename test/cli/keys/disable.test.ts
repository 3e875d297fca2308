import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { issueKey } from '../../harness/tenant.ts';

describeCommand('keys disable', (suite) => {
  it('a key → disabled with --yes or after a confirmation', async () => {
    const { id, key } = await issueKey(suite.gateway, suite.tenant);
    const env = { FAIRWAY_API_KEY: key };
    const asked = suite.start([id], { terminal: true });
    await asked.until(/This cannot be undone/);
    asked.type('\r');
    assert.equal((await asked.ended).code, 7);
    assert.equal((await suite.fairway(['messages', 'list'], { env })).code, 0);
    assert.equal((await suite.run([id, '--yes'])).code, 0);
    assert.equal((await suite.fairway(['messages', 'list'], { env })).code, 5);
  });

  it('an unknown key → exit code 4', async () => {
    assert.equal((await suite.run(['0199c0de-0000-7000-8000-000000000001', '--yes'])).code, 4);
  });
});
