import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('wabas sync', (suite) => {
  it('an account without a subscription → read again', async () => {
    suite.gateway.simulator.world.accounts.findWaba(suite.tenant.wabaId)!.subscribed = false;
    const { code, json } = await suite.run([suite.tenant.wabaId, '--json']);
    assert.deepEqual([code, json.numbers.length, json.webhooks_subscribed], [0, 1, false]);
  });

  it('an unknown account → exit code 4', async () => {
    assert.equal((await suite.run(['71'])).code, 4);
  });
});
