import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../harness/cli.ts';

describeCommand('doctor', (suite) => {
  const waba = () => suite.gateway.simulator.world.accounts.findWaba(suite.tenant.wabaId)!;

  it('no fault → exit code 0 and a count', async () => {
    const { code, stdout } = await suite.run(['--check', 'waba-subscription']);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^1 ok, 0 skipped, 0 warning, 0 failed$/m);
  });

  it('a warning → exit code 7 with --strict only', async () => {
    const { code, json } = await suite.run(['--check', 'public-url-set', '--json']);
    assert.deepEqual([code, json.findings[0].status], [0, 'warning']);
    assert.equal((await suite.run(['--check', 'public-url-set', '--strict'])).code, 7);
  });

  it('an account without a subscription → exit code 7 and its repair, until --fix', async () => {
    waba().subscribed = false;
    const found = await suite.run(['--check', 'waba-subscription']);
    assert.equal(found.code, 7, found.stdout);
    assert.match(found.stdout, new RegExp(`^failed +waba-subscription +waba ${suite.tenant.wabaId}$`, 'm'));
    assert.match(found.stdout, /fairway doctor --fix/);
    const fixed = await suite.run(['--check', 'waba-subscription', '--fix', '--json']);
    assert.equal(fixed.code, 0, fixed.stderr);
    assert.deepEqual([fixed.json.fixes[0].done, fixed.json.findings[0].status], [true, 'ok']);
    assert.equal(waba().subscribed, true);
    assert.match((await suite.run(['--check', 'waba-subscription', '--fix'])).stdout, /Nothing can be repaired/);
  });

  it('--all → passed checks too; --tenant of another → not this account', async () => {
    const { stdout } = await suite.run(['--check', 'waba-subscription', '--all']);
    assert.match(stdout, /^ok +waba-subscription/m);
    const other = ['--tenant', '0199c0de-0000-7000-8000-000000000001', '--json'];
    assert.deepEqual((await suite.run(['--check', 'waba-subscription', ...other])).json.findings, []);
  });

  it('an unknown check → exit code 3', async () => {
    assert.equal((await suite.run(['--check', 'nothing'])).code, 3);
  });
});
