import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startFurtherNode, startGateway } from '../../harness/gateway.ts';
import { call, createTenant, freshRecipient, pause, sendTemplate, untilStatus } from '../../harness/tenant.ts';

describe('cancelling messages that another node works on', () => {
  it('works from any node', async () => {
    const first = await startGateway({ isOneOfSeveral: true });
    const second = await startFurtherNode(first);
    try {
      const tenant = await createTenant(first);
      await pause(first, tenant);
      for (const node of [first, second]) {
        const id = await sendTemplate(node, tenant, freshRecipient());
        const answer = await call(node, tenant, 'POST', '/v1/messages/cancel', { body: { template: 'spring_sale' } });
        assert.equal(answer.json.cancelled, 1);
        const message = await untilStatus(node, tenant, id, 'failed');
        assert.equal(message.error_code, 'CANCELLED');
      }
    } finally {
      await second.stop();
      await first.stop();
    }
  });
});
