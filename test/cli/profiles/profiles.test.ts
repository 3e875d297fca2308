import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { it } from 'node:test';
import { writeProfiles } from '../../../src/cli/connection/profiles.ts';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('profiles', (suite) => {
  const path = () => `${suite.home}/.config/fairway/profiles.json`;

  it('stored profiles → listed without secrets', async () => {
    const profile = { url: suite.gateway.baseUrl, api_key: suite.tenant.apiKey };
    await writeProfiles(path(), { default: 'one', profiles: { one: profile } });
    const [table, json] = [await suite.run(), await suite.run(['--json'])];
    assert.equal(json.json.data[0].name, 'one');
    for (const { stdout } of [table, json]) assert.ok(!stdout.includes(suite.tenant.apiKey));
  });

  it('a file that others can read → refused with the chmod to run', async () => {
    await chmod(path(), 0o644);
    const { code, stderr } = await suite.run();
    assert.equal(code, 2);
    assert.match(stderr, /chmod 600 /);
  });
});
