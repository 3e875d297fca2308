import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('migrate', (suite) => {
  it('a database that is up to date → done', async () => {
    const ENCRYPTION_KEY = Buffer.alloc(32).toString('base64');
    const { code, stderr } = await suite.run([], {
      env: { DATABASE_URL: suite.gateway.connectionString, ENCRYPTION_KEY },
    });
    assert.equal(code, 0, stderr);
  });
});
