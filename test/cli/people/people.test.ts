import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { freshRecipient, sendNow } from '../../harness/tenant.ts';

describeCommand('people export', (suite) => {
  it('a person → names, windows and messages as one JSON document', async () => {
    const to = freshRecipient();
    await sendNow(suite.gateway, suite.tenant, to);
    const { code, json } = await suite.run([to]);
    assert.equal(code, 0);
    assert.deepEqual(json.phone_numbers, [to.slice(1)]);
    assert.equal(json.messages.length, 1);
    assert.equal((await suite.run(['nobody'])).code, 3);
  });
});

describeCommand('people erase', (suite) => {
  it('a person → erased after a confirmation, with the receipt', async () => {
    const to = freshRecipient();
    await sendNow(suite.gateway, suite.tenant, to);
    assert.equal((await suite.run([to])).code, 2);
    const erased = await suite.run([to, '--yes', '--timeout', '60', '--json']);
    assert.equal(erased.code, 0, erased.stderr);
    assert.deepEqual([erased.json.status, erased.json.messages], ['done', 1]);
    assert.equal((await suite.run([to, '--yes', '--json'])).json.messages, 0);
  });
});
