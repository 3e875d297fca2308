import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { untilEvent } from '../../harness/events.ts';

describeCommand('trigger template', (suite) => {
  const idOf = async (name: string) =>
    (await suite.fairway(['templates', 'list', '--name', name, '--json'])).json.data[0].id;

  it('a status → an event, and the template refused for sends', async () => {
    const id = await idOf('order_update');
    const { code, stdout, stderr } = await suite.run([id, '--status', 'PAUSED']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^webhook +delivered, answered 200$/m);
    await untilEvent(suite.gateway, suite.tenant, 'template.status_updated');
    const { data } = (await suite.fairway(['templates', 'list', '--name', 'order_update', '--json'])).json;
    assert.equal(data[0].status, 'PAUSED');
  });

  it('quality and category → delivered; both at once, or an unknown template → refused', async () => {
    const id = await idOf('login_code');
    assert.equal((await suite.run([id, '--quality', 'RED'])).code, 0);
    assert.equal((await suite.run([id, '--category', 'MARKETING'])).code, 0);
    assert.equal((await suite.run([id, '--category', 'MARKETING', '--quality', 'RED'])).code, 2);
    assert.equal((await suite.run(['1', '--quality', 'RED'])).code, 3);
  });
});
