import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { type Received, startReceiver } from '../../api/webhooks/receiver.ts';
import { createWebhook } from '../../api/webhooks/webhook-endpoint.ts';
import { describeCommand } from '../../harness/cli.ts';

describeCommand(
  'webhooks rotate',
  (suite) => {
    const isSignedBy = (secret: string, { body, headers }: Received) => {
      try {
        new Webhook(secret).verify(body, headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    };

    it('--yes → a new secret; the old one signs until the overlap ends', async () => {
      for (const [overlap, isOldValid] of [
        ['1h', true],
        ['0s', false],
      ] as const) {
        await using receiver = await startReceiver();
        const { id, secret } = await createWebhook(suite.gateway, suite.tenant, { url: receiver.url });
        const { code, json } = await suite.run([id, '--overlap', overlap, '--yes', '--json']);
        assert.equal(code, 0);
        assert.equal((await suite.fairway(['webhooks', 'test', id])).code, 0);
        const [request] = receiver.received;
        assert.ok(request);
        assert.deepEqual([isSignedBy(json.secret, request), isSignedBy(secret, request)], [true, isOldValid]);
      }
    });

    it('a no, no terminal, or a time that is none → the old secret alone', async () => {
      await using receiver = await startReceiver();
      const { id, secret } = await createWebhook(suite.gateway, suite.tenant, { url: receiver.url });
      const asked = suite.start([id], { terminal: true });
      await asked.until(/a new secret\?/);
      asked.type('n\r');
      assert.equal((await asked.ended).code, 7);
      assert.equal((await suite.run([id])).code, 2);
      assert.equal((await suite.run([id, '--overlap', 'long', '--yes'])).code, 2);
      assert.equal((await suite.fairway(['webhooks', 'test', id])).code, 0);
      const [request] = receiver.received;
      assert.ok(request && isSignedBy(secret, request));
    });
  },
  { fetchAllowCidrs: ['127.0.0.0/8'] },
);
