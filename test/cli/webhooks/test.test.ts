import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startReceiver } from '../../api/webhooks/receiver.ts';
import { createWebhook } from '../../api/webhooks/webhook-endpoint.ts';
import { describeCommand } from '../../harness/cli.ts';
import { call, createTenant } from '../../harness/tenant.ts';

describeCommand(
  'webhooks test',
  (suite) => {
    it('an endpoint that takes it → its answer; one that refuses → exit code 7', async () => {
      await using receiver = await startReceiver((_request, response) => response.writeHead(200).end('thanks'));
      const { id } = await createWebhook(suite.gateway, suite.tenant, { url: receiver.url });
      const { code, stdout } = await suite.run([id]);
      assert.equal(code, 0);
      assert.match(stdout, /^answer +200$/m);
      assert.match(stdout, /^body +thanks$/m);
      assert.equal(receiver.received[0]?.json.type, 'webhook.test');
      receiver.answer = (_request, response) => response.writeHead(503).end();
      const refused = await suite.run([id, '--json']);
      assert.equal(refused.code, 7);
      assert.deepEqual([refused.json.status, refused.json.attempts[0].http_status], ['pending', 503]);
    });

    it('no answer in time → exit code 7; a disabled endpoint → 3; of another tenant → 4', async () => {
      await using receiver = await startReceiver(() => undefined);
      const { id } = await createWebhook(suite.gateway, suite.tenant, { url: receiver.url });
      const waiting = await suite.run([id, '--timeout', '1']);
      assert.equal(waiting.code, 7);
      assert.match(waiting.stderr, /not tried within 1 seconds/);
      await call(suite.gateway, suite.tenant, 'PATCH', `/v1/webhooks/${id}`, { body: { disabled: true } });
      assert.equal((await suite.run([id])).code, 3);
      const { apiKey } = await createTenant(suite.gateway);
      assert.equal((await suite.run([id], { env: { FAIRWAY_API_KEY: apiKey } })).code, 4);
    });
  },
  { fetchAllowCidrs: ['127.0.0.0/8'] },
);
