import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../harness/cli.ts';

describeCommand('completion', (suite) => {
  for (const shell of ['bash', 'zsh', 'fish'])
    it(`${shell} → a script that asks the program`, async () => {
      const { code, stdout } = await suite.run([shell]);
      assert.equal(code, 0);
      assert.match(stdout, /fairway complete --/);
    });

  it('the words so far → the commands that fit', async () => {
    const { stdout } = await suite.fairway(['complete', '--', 'messages', '']);
    for (const name of ['list', 'show', 'watch']) assert.match(stdout, new RegExp(`^${name}\\t`, 'm'));
  });
});
