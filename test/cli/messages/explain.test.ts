import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startReceiver } from '../../api/webhooks/receiver.ts';
import { createWebhook } from '../../api/webhooks/webhook-endpoint.ts';
import { describeCommand } from '../../harness/cli.ts';
import {
  call,
  createTenant,
  freshRecipient,
  issueKey,
  pause,
  resume,
  sendTemplate,
  until,
  untilStatus,
} from '../../harness/tenant.ts';

describeCommand(
  'messages explain',
  (suite) => {
    it('a delivered message → its history, and the deliveries of its events', async () => {
      await using receiver = await startReceiver();
      await createWebhook(suite.gateway, suite.tenant, { url: receiver.url, events: ['message.delivered'] });
      const id = await sendTemplate(suite.gateway, suite.tenant, freshRecipient());
      await until('its delivery', async () => {
        const { json } = await call(suite.gateway, suite.tenant, 'GET', `/v1/messages/${id}/timeline`);
        return json.data.find(({ what }: { what: string }) => what === 'webhook');
      });
      const { code, stdout } = await suite.run([id]);
      assert.equal(code, 0);
      assert.match(stdout, /queued[\s\S]*sent .*wamid\.[\s\S]*delivered .*reported by a webhook/);
      assert.match(stdout, new RegExp(`delivered +204 +\\d+ ms +${receiver.url}`));
      assert.doesNotMatch(stdout, /Why it/);
      const { key } = await issueKey(suite.gateway, suite.tenant, { scopes: ['messages:read'] });
      const limited = await suite.run([id], { env: { FAIRWAY_API_KEY: key } });
      assert.match(limited.stdout, /delivered +204 +\d+ ms +[0-9a-f]{8}-/, limited.stderr);
    });

    it('a waiting message → the reason with its meaning', async () => {
      await pause(suite.gateway, suite.tenant);
      const id = await sendTemplate(suite.gateway, suite.tenant, freshRecipient());
      const { stdout } = await suite.run([id]);
      assert.match(stdout, /Why it waits\npaused\n {2}An operator paused the number/);
      assert.match(stdout, /expires +in \d+ /);
      const { json } = await suite.run([id, '--json']);
      assert.deepEqual(json.waiting.reasons, ['paused']);
      assert.match(json.waiting.meanings[0], /An operator paused/);
      await resume(suite.gateway, suite.tenant);
    });

    it('a code of the gateway → its advice and its page; of the platform → its words', async () => {
      await pause(suite.gateway, suite.tenant);
      const cancelled = await sendTemplate(suite.gateway, suite.tenant, freshRecipient());
      await call(suite.gateway, suite.tenant, 'POST', `/v1/messages/${cancelled}/cancel`);
      await untilStatus(suite.gateway, suite.tenant, cancelled, 'failed');
      await resume(suite.gateway, suite.tenant);
      const page = `${suite.gateway.baseUrl}/docs/errors#CANCELLED`;
      const { stdout } = await suite.run([cancelled]);
      assert.match(stdout, /Why it failed\nCANCELLED .*\nThe message was cancelled while it waited.*\nNext step\. /);
      assert.ok(stdout.includes(page));
      assert.equal((await suite.run([cancelled, '--json'])).json.error.doc_url, page);
      const to = freshRecipient();
      suite.gateway.simulator.world.addFault({
        fault: { kind: 'error', code: 131026 },
        scope: { recipient: to.slice(1) },
      });
      const refused = await sendTemplate(suite.gateway, suite.tenant, to);
      await untilStatus(suite.gateway, suite.tenant, refused, 'failed');
      const { json } = await suite.run([refused, '--json']);
      assert.deepEqual([json.error.code, json.error.advice], ['131026', null]);
      assert.match((await suite.run([refused])).stdout, /Why it failed\n131026 .*\nThe code is the platform's/);
    });

    it('an unknown message, or of another tenant → exit code 4', async () => {
      const id = await sendTemplate(suite.gateway, suite.tenant, freshRecipient());
      const { apiKey } = await createTenant(suite.gateway);
      assert.equal((await suite.run([id], { env: { FAIRWAY_API_KEY: apiKey } })).code, 4);
    });
  },
  { fetchAllowCidrs: ['127.0.0.0/8'] },
);
