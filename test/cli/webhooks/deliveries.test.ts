import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startReceiver } from '../../api/webhooks/receiver.ts';
import { createWebhook, emitEvents, settledDelivery } from '../../api/webhooks/webhook-endpoint.ts';
import { describeCommand } from '../../harness/cli.ts';
import { until } from '../../harness/tenant.ts';

describeCommand(
  'webhooks deliveries',
  (suite) => {
    it('deliveries → a table of them, narrowed by status, type and time', async () => {
      await using receiver = await startReceiver();
      const { id } = await createWebhook(suite.gateway, suite.tenant, { url: receiver.url });
      assert.match((await suite.run([id])).stdout, /No deliveries/);
      const taken = await emitEvents(suite.gateway, suite.tenant, 2);
      for (const event of taken) await settledDelivery(suite.gateway, suite.tenant, id, event);
      receiver.answer = (_request, response) => response.writeHead(500).end();
      const [refused = ''] = await emitEvents(suite.gateway, suite.tenant, 1);
      const pending = () => suite.run([id, '--status', 'pending', '--json']);
      await until('the refused delivery', async () => (await pending()).json.data[0]?.attempts[0]);
      const { code, stdout } = await suite.run([id]);
      assert.equal(code, 0);
      assert.match(
        stdout,
        new RegExp(`^EVENT .*\\n${refused} +account\\.updated +pending +1 +500 +\\d+ ms .* in \\d+ `),
      );
      assert.match(stdout, /delivered +1 +204/);
      const idsOf = async (...args: string[]) =>
        (await suite.run([id, '--json', ...args])).json.data.map((row: { event_id: string }) => row.event_id);
      assert.deepEqual(await idsOf('--status', 'pending'), [refused]);
      assert.deepEqual((await idsOf('--status', 'delivered', '--since', '1h')).sort(), taken.toSorted());
      assert.deepEqual(await idsOf('--until', '1h'), []);
      assert.deepEqual(await idsOf('--type', 'message.failed'), []);
      assert.equal((await idsOf('--limit', '2')).length, 2);
    });

    it('a status that is none → exit code 2; an unknown endpoint → 4', async () => {
      const unknown = '0199c0de-0000-7000-8000-000000000001';
      assert.equal((await suite.run([unknown, '--status', 'gone'])).code, 2);
      assert.equal((await suite.run([unknown])).code, 4);
    });
  },
  { fetchAllowCidrs: ['127.0.0.0/8'] },
);
