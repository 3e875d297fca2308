import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../harness/cli.ts';
import { startGateway } from '../harness/gateway.ts';
import { createTenant, freshRecipient, pause, sendTemplate } from '../harness/tenant.ts';

const ALTERNATE_SCREEN_END = '\u001b[?1049l';

describeCommand('queue', (suite) => {
  async function queueThree() {
    const tenant = await createTenant(suite.gateway);
    await pause(suite.gateway, tenant);
    for (let sends = 0; sends < 3; sends += 1) await sendTemplate(suite.gateway, tenant, freshRecipient());
    return tenant;
  }

  it('a paused number → its waiting messages and the reason, for its tenant', async () => {
    const { phoneNumberId, organizationId } = await queueThree();
    const { code, stdout } = await suite.run(['--tenant', organizationId]);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^NUMBER .*\n${phoneNumberId} +3 .* paused `));
    const { json } = await suite.run(['--number', phoneNumberId, '--json']);
    assert.deepEqual([json.numbers.length, json.numbers[0].queued], [1, 3]);
    assert.match((await suite.run(['--tenant', suite.tenant.organizationId])).stdout, /Nothing waits/);
  });

  it('--watch in a terminal → redrawn after a resize, restored by Ctrl-C', async () => {
    const { phoneNumberId } = await queueThree();
    const watch = suite.start(['--watch', '--number', phoneNumberId, '--interval', '600'], { terminal: true });
    await watch.until(/3 waiting, 1 number/);
    await watch.until(/paused/);
    await watch.resize(100, 3);
    await watch.until(/… 2 more lines/);
    watch.interrupt();
    const { code, stdout } = await watch.ended;
    assert.equal(code, 130);
    const left = stdout.slice(stdout.lastIndexOf(ALTERNATE_SCREEN_END));
    assert.match(left, new RegExp(`${phoneNumberId} +3 `));
  });

  it('--watch while new messages wait → the next state shows them', async () => {
    const tenant = await queueThree();
    const watch = suite.start(['--watch', '--number', tenant.phoneNumberId, '--interval', '1'], { terminal: true });
    await watch.until(/3 waiting/);
    await sendTemplate(suite.gateway, tenant, freshRecipient());
    await watch.until(/4 waiting/);
    watch.interrupt();
    assert.equal((await watch.ended).code, 130);
  });

  it('--watch of a killed gateway → the last state marked as old, until Ctrl-C', async () => {
    const gateway = await startGateway();
    const env = { FAIRWAY_URL: gateway.baseUrl, FAIRWAY_ADMIN_TOKEN: gateway.adminToken };
    const watch = suite.start(['--watch', '--interval', '1'], { terminal: true, env });
    const asJson = suite.start(['--watch', '--interval', '1', '--json'], { env });
    try {
      await Promise.all([watch.until(/Nothing waits/), asJson.until(/"numbers":\[\]/)]);
    } finally {
      await gateway.stop();
    }
    await Promise.all([watch.until(/This state is old/), asJson.until(/No gateway answers/)]);
    watch.interrupt();
    asJson.interrupt();
    assert.equal((await watch.ended).code, 130);
    assert.equal((await asJson.ended).code, 130);
  });

  it('--watch --json → one line of JSON for each state', async () => {
    const { phoneNumberId } = await queueThree();
    const watch = suite.start(['--watch', '--number', phoneNumberId, '--interval', '1', '--json']);
    await watch.until(/"queued":3.*\n.*"queued":3.*\n/);
    watch.interrupt();
    const { code, stdout } = await watch.ended;
    assert.equal(code, 130);
    for (const line of stdout.trimEnd().split('\n')) assert.equal(JSON.parse(line).numbers[0].queued, 3);
  });

  it('an API key in place of the admin token → exit code 5', async () => {
    assert.equal((await suite.run([], { env: { FAIRWAY_ADMIN_TOKEN: suite.tenant.apiKey } })).code, 5);
  });
});
