import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { createTenant, issueKey } from '../../harness/tenant.ts';

describeCommand('keys rotate', (suite) => {
  const works = async (key: string) =>
    (await suite.fairway(['messages', 'list'], { env: { FAIRWAY_API_KEY: key } })).code === 0;

  it('--yes --json → the new key with the old name, and the old one disabled', async () => {
    const old = await issueKey(suite.gateway, suite.tenant);
    const { code, json } = await suite.run([suite.tenant.organizationId, old.id, '--yes', '--json']);
    assert.equal(code, 0);
    assert.deepEqual([json.name, json.disabled], ['test', old.id]);
    assert.deepEqual([await works(json.key), await works(old.key)], [true, false]);
  });

  it('a limited key → the new one has the same limits', async () => {
    const { organizationId, phoneNumberId } = suite.tenant;
    const limits = {
      ...{ scopes: ['messages:read'], phone_number_ids: [phoneNumberId], source_ranges: ['127.0.0.0/8'] },
      ...{ expires_at: '2099-01-01T00:00:00.000Z', messages_per_minute: 7 },
    };
    const old = await issueKey(suite.gateway, suite.tenant, limits);
    const { json } = await suite.run([organizationId, old.id, '--yes', '--json']);
    const { data } = (await suite.fairway(['keys', 'list', organizationId, '--json'])).json;
    assert.partialDeepStrictEqual(
      data.find(({ id }: { id: string }) => id === json.id),
      limits,
    );
  });

  it('a terminal → the new key before the question; after a no the old one works', async () => {
    const old = await issueKey(suite.gateway, suite.tenant);
    for (const [answer, code, isOldWorking] of [
      ['n', 7, true],
      ['y', 0, false],
    ] as const) {
      const rotate = suite.start([suite.tenant.organizationId, old.id], { terminal: true });
      await rotate.until(/fw_[\s\S]*Disable the old key/);
      rotate.type(`${answer}\r`);
      assert.equal((await rotate.ended).code, code);
      assert.equal(await works(old.key), isOldWorking);
    }
  });

  it('no terminal and no --yes, or a key of another tenant → no new key', async () => {
    const { organizationId } = suite.tenant;
    const stranger = await issueKey(suite.gateway, await createTenant(suite.gateway));
    const count = async () => (await suite.fairway(['keys', 'list', organizationId, '--json'])).json.data.length;
    const before = await count();
    const old = await issueKey(suite.gateway, suite.tenant);
    assert.equal((await suite.run([organizationId, old.id])).code, 2);
    assert.equal((await suite.run([organizationId, old.id, '--json'])).code, 2);
    assert.equal((await suite.run([organizationId, stranger.id, '--yes'])).code, 4);
    assert.equal(await count(), before + 1);
    assert.equal(await works(stranger.key), true);
  });
});
