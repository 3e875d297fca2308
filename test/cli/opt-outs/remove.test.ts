import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { call, freshRecipient, sendTemplate } from '../../harness/tenant.ts';

describeCommand('opt-outs remove', (suite) => {
  it('an id with --yes → marketing is sent again; once more → exit code of a missing object', async () => {
    const to = freshRecipient();
    const body = { phone_number_id: suite.tenant.phoneNumberId, person: to };
    const { json } = await call(suite.gateway, suite.tenant, 'POST', '/v1/opt-outs', { body });
    const { code, stdout } = await suite.run([json.id, '--yes']);
    assert.equal(code, 0);
    assert.match(stdout, /^Ended opt-out/);
    await sendTemplate(suite.gateway, suite.tenant, to);
    assert.equal((await suite.run([json.id, '--yes'])).code, 4);
  });
});
