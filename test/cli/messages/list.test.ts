import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { freshRecipient, send, sendTemplate, templateTo } from '../../harness/tenant.ts';

describeCommand('messages list', (suite) => {
  it('messages of one person → a table of them', async () => {
    const to = freshRecipient();
    const id = await sendTemplate(suite.gateway, suite.tenant, to);
    const { code, stdout } = await suite.run(['--to', to]);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^ID .*\n${id} .*spring_sale`));
  });

  it('a person by user id → the messages to it', async () => {
    const userId = `US.${randomUUID().replaceAll('-', '')}`;
    const { to: _to, ...template } = templateTo(freshRecipient());
    const { json: sent } = await send(suite.gateway, suite.tenant, { ...template, recipient: userId });
    await sendTemplate(suite.gateway, suite.tenant, freshRecipient());
    const { code, json } = await suite.run(['--to', userId, '--json']);
    assert.equal(code, 0);
    assert.deepEqual(
      json.data.map(({ id }: { id: string }) => id),
      [sent.messages[0].id],
    );
  });

  it('--limit → the newest ones', async () => {
    const ids = [];
    for (let sends = 0; sends < 3; sends += 1)
      ids.push(await sendTemplate(suite.gateway, suite.tenant, freshRecipient()));
    const { json } = await suite.run(['--limit', '2', '--json']);
    assert.deepEqual(
      json.data.map(({ id }: { id: string }) => id),
      ids.slice(1).reverse(),
    );
  });
});
