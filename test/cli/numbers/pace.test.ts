import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('numbers pace', (suite) => {
  it('a rate → the pace, until it follows the platform again', async () => {
    const pace = async (rate: string) => (await suite.run([suite.tenant.phoneNumberId, rate, '--json'])).json;
    const { messages_per_second: own } = await pace('2.5');
    assert.equal(own, 2.5);
    const { messages_per_second: platform } = await pace('platform');
    assert.ok(platform > 2.5);
  });

  it('no rate → exit code 2', async () => {
    for (const rate of ['0', 'fast']) assert.equal((await suite.run([suite.tenant.phoneNumberId, rate])).code, 2);
  });
});
