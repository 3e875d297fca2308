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

  it('limits → a key that may do no more, and an unknown scope → exit code 3', async () => {
    const { organizationId, phoneNumberId } = suite.tenant;
    const limits = ['--scopes', 'messages:send,media', '--numbers', phoneNumberId, '--source-ranges', '127.0.0.0/8'];
    const expiry = ['--expires', '2099-01-01T00:00:00Z'];
    const { json } = await suite.run([organizationId, ...limits, ...expiry, '--json']);
    const { json: listed } = await suite.fairway(['keys', 'list', organizationId, '--json']);
    const found = listed.data.find(({ id }: { id: string }) => id === json.id);
    assert.deepEqual(
      [found.scopes.sort(), found.phone_number_ids, found.source_ranges, found.expires_at],
      [['media', 'messages:send'], [phoneNumberId], ['127.0.0.0/8'], '2099-01-01T00:00:00.000Z'],
    );
    const env = { FAIRWAY_API_KEY: json.key };
    assert.equal((await suite.fairway(['messages', 'list'], { env })).code, 5);
    assert.equal((await suite.run([organizationId, '--scopes', 'everything'])).code, 3);
  });

  it('an unknown tenant → exit code 4', async () => {
    assert.equal((await suite.run(['0199c0de-0000-7000-8000-000000000001'])).code, 4);
  });
});
