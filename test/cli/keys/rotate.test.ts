import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { issueKey, until } from '../../harness/tenant.ts';

describeCommand('keys rotate', (suite) => {
  const works = async (key: string) =>
    (await suite.fairway(['messages', 'list'], { env: { FAIRWAY_API_KEY: key } })).code === 0;

  const ended = (key: string) => until('the end of a secret', async () => !(await works(key)) || undefined);

  it('no --overlap → a new secret under the same ID, and the old one works for a day', async () => {
    const limits = { scopes: ['messages:read'], messages_per_minute: 7 };
    const old = await issueKey(suite.gateway, suite.tenant, limits);
    const { code, json } = await suite.run([old.id, '--yes', '--json']);
    assert.equal(code, 0);
    assert.partialDeepStrictEqual(json, { id: old.id, name: 'test', ...limits });
    const hours = (Date.parse(json.previous_until) - Date.now()) / 3_600_000;
    assert.ok(hours > 23.9 && hours <= 24, String(hours));
    assert.deepEqual([await works(json.key), await works(old.key)], [true, true]);
  });

  it('--overlap 0s → the old secret ends', async () => {
    const old = await issueKey(suite.gateway, suite.tenant);
    const { code, json } = await suite.run([old.id, '--overlap', '0s', '--yes', '--json']);
    assert.equal(code, 0);
    await ended(old.key);
    assert.equal(await works(json.key), true);
  });

  it('a terminal → asks first; a no changes nothing, a yes shows the new secret', async () => {
    const old = await issueKey(suite.gateway, suite.tenant);
    const ask = async (answer: string) => {
      const rotate = suite.start([old.id, '--overlap', '2h'], { terminal: true });
      await rotate.until(/The present one works for 2 h/);
      rotate.type(`${answer}\r`);
      return await rotate.ended;
    };
    const refused = await ask('n');
    assert.equal(refused.code, 7);
    assert.doesNotMatch(refused.stdout, /fw_/);
    const { code, stdout } = await ask('y');
    assert.equal(code, 0);
    const [key = ''] = /fw_\S+/.exec(stdout) ?? [];
    assert.match(stdout, /works until 20/);
    assert.deepEqual([await works(key), await works(old.key)], [true, true]);
  });

  it('no terminal and no --yes, or an unknown key → no new secret', async () => {
    const old = await issueKey(suite.gateway, suite.tenant);
    assert.equal((await suite.run([old.id, '--overlap', '0s'])).code, 2);
    assert.equal(await works(old.key), true);
    assert.equal((await suite.run(['0199c0de-0000-7000-8000-000000000001', '--yes'])).code, 4);
  });
});
