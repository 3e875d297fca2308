import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../harness/cli.ts';

describeCommand('status', (suite) => {
  it('both credentials → readiness and the queue', async () => {
    const { code, json } = await suite.run(['--json']);
    assert.equal(code, 0);
    assert.deepEqual([json.ready, json.waiting], [true, 0]);
  });

  it('one credential → works', async () => {
    for (const missing of ['FAIRWAY_API_KEY', 'FAIRWAY_ADMIN_TOKEN']) {
      const { code, stdout } = await suite.run([], { env: { [missing]: undefined } });
      assert.equal(code, 0, missing);
      assert.match(stdout, /^ready$/m);
    }
  });

  it('a wrong credential → exit code 5, and no output shows it', async () => {
    const { code, stdout, stderr } = await suite.run([], { env: { FAIRWAY_API_KEY: 'fw_live_wrong' } });
    assert.equal(code, 5);
    assert.doesNotMatch(stdout + stderr, /fw_live_wrong/);
  });

  it('no gateway → exit code 6 and a hint', async () => {
    const { code, stderr } = await suite.run(['--url', 'http://127.0.0.1:1']);
    assert.equal(code, 6);
    assert.match(stderr, /No gateway answers at http:\/\/127\.0\.0\.1:1/);
  });

  it('a terminal → colours, unless NO_COLOR is set', async () => {
    const escapeCharacter = String.fromCharCode(27);
    const colourful = await suite.run([], { terminal: true });
    assert.ok(colourful.stdout.includes(`${escapeCharacter}[32mready`), colourful.stdout);
    const plain = await suite.run([], { terminal: true, env: { NO_COLOR: '1' } });
    assert.ok(!plain.stdout.includes(escapeCharacter), plain.stdout);
  });
});
