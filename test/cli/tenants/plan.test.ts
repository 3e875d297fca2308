import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('tenants plan', (suite) => {
  it('limits → changed, and all others stay', async () => {
    const id = suite.tenant.organizationId;
    const limits = ['--name', 'starter', '--messages', '100', '--budget', '2.5', '--types', 'text, template'];
    const changed = await suite.run([id, ...limits]);
    assert.equal(changed.code, 0, changed.stderr);
    await suite.run([id, '--messages', 'unlimited', '--suspend']);
    const { json } = await suite.run([id, '--json']);
    assert.equal(json.name, 'starter');
    assert.deepEqual([json.monthly_message_limit, json.monthly_budget, json.active], [null, 2.5, false]);
    assert.deepEqual(json.message_types.sort(), ['template', 'text']);
    const ended = await suite.run([id, '--activate', '--types', 'all', '--json']);
    assert.deepEqual([ended.json.active, ended.json.message_types], [true, null]);
  });

  it('a limit that is no number → exit code 2', async () => {
    assert.equal((await suite.run([suite.tenant.organizationId, '--messages', 'many'])).code, 2);
  });
});
