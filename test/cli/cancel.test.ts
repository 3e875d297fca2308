import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../harness/cli.ts';
import { createTenant, freshRecipient, pause, sendTemplate, untilStatus } from '../harness/tenant.ts';

describeCommand('cancel', (suite) => {
  async function queue(count: number, template: string, tenant = suite.tenant) {
    await pause(suite.gateway, tenant);
    const ids: string[] = [];
    for (let sends = 0; sends < count; sends += 1)
      ids.push(await sendTemplate(suite.gateway, tenant, freshRecipient(), template));
    return ids;
  }

  it('--template → only its messages, after a preview and a confirmation, with progress', async () => {
    const [kept = ''] = await queue(1, 'greeting');
    const ids = await queue(3, 'spring_sale');
    const other = await createTenant(suite.gateway);
    const [foreign = ''] = await queue(1, 'spring_sale', other);
    assert.deepEqual((await suite.run(['--template', 'spring_sale', '--dry-run', '--json'])).json, {
      waiting: 3,
      counted_all: true,
      cancelled: 0,
    });
    const cancel = suite.start(['--template', 'spring_sale'], { terminal: true });
    await cancel.until(/Cancel 3 waiting messages\?/);
    cancel.type('y\r');
    const { code, stdout } = await cancel.ended;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Cancelled \[=+\] 3\/3/);
    for (const id of ids) await untilStatus(suite.gateway, suite.tenant, id, 'failed');
    await untilStatus(suite.gateway, suite.tenant, kept, 'queued');
    await untilStatus(suite.gateway, other, foreign, 'queued');
  });

  it('--since and --to → narrow the selection', async () => {
    await queue(1, 'spring_sale');
    assert.equal((await suite.run(['--until', '2h', '--dry-run', '--json'])).json.waiting, 0);
    const recent = await suite.run(['--since', '2h', '--template', 'spring_sale', '--yes', '--json']);
    assert.equal(recent.json.cancelled, 1);
    assert.equal((await suite.run(['--to', freshRecipient(), '--yes', '--json'])).json.cancelled, 0);
  });

  it('a no, no filter, or no terminal without --yes → nothing cancelled', async () => {
    const [id = ''] = await queue(1, 'spring_sale');
    const refused = suite.start(['--template', 'spring_sale'], { terminal: true });
    await refused.until(/Cancel 1 waiting message\?/);
    refused.type('n\r');
    assert.equal((await refused.ended).code, 7);
    assert.equal((await suite.run(['--yes'])).code, 2);
    assert.equal((await suite.run(['--template', 'spring_sale'])).code, 2);
    assert.equal((await suite.run(['--since', 'yesterday'])).code, 2);
    await untilStatus(suite.gateway, suite.tenant, id, 'queued');
  });
});
