import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startReceiver } from '../../api/webhooks/receiver.ts';
import { createWebhook, emitEvents, settledDelivery } from '../../api/webhooks/webhook-endpoint.ts';
import { describeCommand } from '../../harness/cli.ts';
import { until } from '../../harness/tenant.ts';

describeCommand(
  'webhooks replay',
  (suite) => {
    it('an event → delivered again with the same id', async () => {
      await using receiver = await startReceiver();
      const { id } = await createWebhook(suite.gateway, suite.tenant, { url: receiver.url });
      const [event = ''] = await emitEvents(suite.gateway, suite.tenant, 1);
      await settledDelivery(suite.gateway, suite.tenant, id, event);
      assert.equal((await suite.run([id, '--event', event, '--json'])).json.queued, 1);
      await until('the second delivery', () => (receiver.received.length === 2 ? true : undefined));
      assert.deepEqual(
        receiver.received.map((request) => request.id),
        [event, event],
      );
      assert.equal((await suite.run([id])).code, 2);
    });
  },
  { fetchAllowCidrs: ['127.0.0.0/8'] },
);
