import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { admin, issueKey } from '../../harness/tenant.ts';

describeCommand('tenants create', (suite) => {
  it('a name → a tenant with that name', async () => {
    const { code, json } = await suite.run(['Example Ltd', '--json']);
    assert.equal(code, 0);
    const stored = await admin<{ name: string }>(suite.gateway, 'GET', `/organizations/${json.id}`);
    assert.equal(stored.name, 'Example Ltd');
    assert.match((await suite.run(['Other Ltd'])).stdout, /^name +Other Ltd$/m);
  });

  it('--test → a test organization with keys of its own kind, marked in lists', async () => {
    const { code, json } = await suite.run(['Tests', '--test', '--json']);
    assert.equal(code, 0);
    assert.equal(json.test, true);
    const { key } = await issueKey(suite.gateway, { organizationId: json.id });
    assert.match(key, /^fw_test_/);
    assert.match((await suite.run(['Other tests', '--test'])).stdout, /^kind +test/m);
  });

  it('a name with a line break → exit code 3', async () => {
    assert.equal((await suite.run(['two\nlines'])).code, 3);
  });
});
