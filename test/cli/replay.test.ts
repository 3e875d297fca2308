import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../harness/cli.ts';
import { pullAll } from '../harness/events.ts';
import { call, createTenant, freshRecipient, sendTemplate, untilStatus } from '../harness/tenant.ts';

describeCommand('replay', (suite) => {
  it('--since or --event → the events queued again, for their tenant only', async () => {
    await untilStatus(
      suite.gateway,
      suite.tenant,
      await sendTemplate(suite.gateway, suite.tenant, freshRecipient()),
      'read',
    );
    const events = await pullAll(suite.gateway, suite.tenant);
    const body = { url: 'https://hooks.example.com/', events: ['message.delivered'] };
    const { id } = (await call(suite.gateway, suite.tenant, 'POST', '/v1/webhooks', { body })).json;
    const delivered = events.find(({ type }) => type === 'message.delivered');
    assert.equal((await suite.run([id, '--event', delivered.id, '--json'])).json.queued, 1);
    const other = await createTenant(suite.gateway);
    assert.equal((await suite.run([id, '--since', '1h'], { env: { FAIRWAY_API_KEY: other.apiKey } })).code, 4);
    const range = await suite.run([id, '--since', '1h', '--until', '30min'], { terminal: true });
    assert.match(range.stdout, /Queued 0 deliveries/);
    assert.equal((await suite.run([id, '--failed-since', '1h', '--json'])).json.queued, 0);
  });

  it('no range, or two → exit code 2', async () => {
    const id = '0199c0de-0000-7000-8000-000000000001';
    assert.equal((await suite.run([id])).code, 2);
    assert.equal((await suite.run([id, '--since', '1h', '--failed-since', '1h'])).code, 2);
    assert.equal((await suite.run([id, '--until', '1h'])).code, 2);
  });
});
