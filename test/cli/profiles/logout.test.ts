import assert from 'node:assert/strict';
import { it } from 'node:test';
import { writeProfiles } from '../../../src/cli/connection/profiles.ts';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('logout', (suite) => {
  it('a stored profile → removed with --yes or after a confirmation', async () => {
    const env = { FAIRWAY_URL: undefined };
    const path = `${suite.home}/.config/fairway/profiles.json`;
    const profile = { url: suite.gateway.baseUrl, api_key: suite.tenant.apiKey };
    await writeProfiles(path, { default: 'one', profiles: { one: profile, two: profile } });
    assert.equal((await suite.run(['--yes'], { env })).code, 0);
    const asked = suite.start([], { env, terminal: true });
    await asked.until(/Remove profile two/);
    asked.type('y\r');
    assert.equal((await asked.ended).code, 0);
    assert.equal((await suite.run(['--yes'], { env })).code, 2);
  });
});
