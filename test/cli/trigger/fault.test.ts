import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { createTenant, freshRecipient } from '../../harness/tenant.ts';

describeCommand('trigger fault', (suite) => {
  it('an error once → the next message of this number fails, those of another do not', async () => {
    const { code, stdout, stderr } = await suite.run(['error', '--code', '131026', '--times', '1']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^ends +after one time$/m);
    const send = [
      'send',
      '--template',
      'order_update',
      '--language',
      'en_US',
      '--param',
      'A-1',
      '--to',
      freshRecipient(),
      '--wait',
    ];
    const other = await createTenant(suite.gateway);
    const env = { FAIRWAY_API_KEY: other.apiKey, FAIRWAY_PHONE_NUMBER_ID: other.phoneNumberId };
    assert.equal((await suite.fairway(send, { env })).code, 0);
    const failed = await suite.fairway(send);
    assert.equal(failed.code, 7, failed.stderr);
    assert.match(failed.stdout + failed.stderr, /131026/);
    assert.equal((await suite.fairway(send)).code, 0);
  });

  it('an unknown kind, or a kind without its code → exit code 3 and the reason', async () => {
    assert.match((await suite.run(['flood'])).stderr, /no fault of kind "flood"/);
    assert.match((await suite.run(['error'])).stderr, /needs "code"/);
  });
});
