import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { freshRecipient, send, templateTo } from '../../harness/tenant.ts';

describeCommand('opt-outs add', (suite) => {
  it('a person → marketing from the number is refused; no number → exit code 2', async () => {
    const to = freshRecipient();
    const { code, stdout } = await suite.run([to, '--number', suite.tenant.phoneNumberId]);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^\\${to} gets no marketing from ${suite.tenant.phoneNumberId}`));
    assert.equal((await send(suite.gateway, suite.tenant, templateTo(to))).json.code, 'RECIPIENT_OPTED_OUT');
    assert.equal((await suite.run([freshRecipient()])).code, 0);
    assert.equal((await suite.run([to], { env: { FAIRWAY_PHONE_NUMBER_ID: undefined } })).code, 2);
  });
});
