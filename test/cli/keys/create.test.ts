import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('keys create', (suite) => {
  it('a tenant → a key that works, with its name', async () => {
    const { code, json } = await suite.run([suite.tenant.organizationId, '--name', 'shop', '--json']);
    assert.deepEqual([code, json.name], [0, 'shop']);
    assert.equal((await suite.fairway(['messages', 'list'], { env: { FAIRWAY_API_KEY: json.key } })).code, 0);
    const limited = await suite.run([suite.tenant.organizationId, '--messages-per-minute', '60', '--json']);
    assert.equal(limited.code, 0);
    const { json: listed } = await suite.fairway(['keys', 'list', suite.tenant.organizationId, '--json']);
    const found = listed.data.find(({ id }: { id: string }) => id === limited.json.id);
    assert.equal(found.messages_per_minute, 60);
    assert.match((await suite.run([suite.tenant.organizationId])).stdout, /^key +fw_/m);
  });

  it('an unknown tenant → exit code 4', async () => {
    assert.equal((await suite.run(['0199c0de-0000-7000-8000-000000000001'])).code, 4);
  });
});
