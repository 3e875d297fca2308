import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';

const OWN = { FAIRWAY_URL: undefined, FAIRWAY_API_KEY: undefined, FAIRWAY_ADMIN_TOKEN: undefined };

describeCommand('login', (suite) => {
  it('an API key → verified, hidden and stored for this user only', async () => {
    const login = suite.start(['--url', suite.gateway.baseUrl], { terminal: true, env: OWN });
    await login.until(/API key or admin token/);
    login.type(`${suite.tenant.apiKey}\r`);
    await login.until(/number to send from/);
    login.type(`${suite.tenant.phoneNumberId}\r`);
    const { code, stdout } = await login.ended;
    assert.equal(code, 0, stdout);
    assert.ok(!stdout.includes(suite.tenant.apiKey));
    const { mode } = await stat(join(suite.home, '.config/fairway/profiles.json'));
    assert.equal(mode & 0o777, 0o600);
    assert.equal((await suite.fairway(['status'], { env: OWN })).code, 0);
  });

  it('a wrong key → exit code 5 and nothing stored', async () => {
    const login = suite.start(['--url', suite.gateway.baseUrl, '--profile', 'wrong'], { terminal: true, env: OWN });
    await login.until(/API key or admin token/);
    login.type('fw_live_wrong\r');
    assert.equal((await login.ended).code, 5);
    assert.equal((await suite.fairway(['status', '--profile', 'wrong'], { env: OWN })).code, 2);
  });

  it('no terminal → exit code 2', async () => {
    assert.equal((await suite.run(['--url', suite.gateway.baseUrl])).code, 2);
  });
});
