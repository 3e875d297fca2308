import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { freshRecipient, readMessage, sendNow, sendTemplate, untilStatus } from '../../harness/tenant.ts';
import { nowSeconds, postChange, statusOf } from '../../harness/upstream-webhook.ts';

describe('statuses that arrive before their send is recorded', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  it('wait for it and are applied then', async () => {
    gateway.simulator.world.addFault({ fault: { kind: 'webhook_first' }, times: 10 });
    const ids = await Promise.all(Array.from({ length: 10 }, () => sendTemplate(gateway, tenant, freshRecipient())));
    for (const id of ids) await untilStatus(gateway, tenant, id, 'read');
  });

  it('wait even when all of them came first', async () => {
    const to = freshRecipient();
    gateway.simulator.world.addFault({ fault: { kind: 'webhook_lost' }, scope: { recipient: to.slice(1) } });
    const { id, wamid } = await sendNow(gateway, tenant, to);
    // Pretends that the result had not been recorded yet: its wamid is unknown again.
    await gateway.app.db.query({ text: 'DELETE FROM wamid_ref WHERE message_id = $1', values: [id] });
    const at = nowSeconds();
    for (const word of ['read', 'delivered', 'sent']) {
      await postChange(gateway, tenant, { statuses: [statusOf(wamid, word, at)] });
    }
    assert.equal((await readMessage(gateway, tenant, id)).status, 'sent');
    await gateway.app.db.query({
      text: `INSERT INTO wamid_ref (wamid_digest, organization_id, message_id)
             SELECT wamid_digest, $1, $2 FROM early_status WHERE wamid = $3`,
      values: [tenant.organizationId, id, wamid],
    });
    const message = await untilStatus(gateway, tenant, id, 'read');
    assert.equal(message.delivered_at, new Date(at * 1000).toISOString());
  });

  it('repeated, reordered or late: all end as read', async () => {
    for (const fault of [
      { kind: 'webhook_duplicated', copies: 3 },
      { kind: 'webhook_reordered' },
      { kind: 'webhook_late', delayMs: 100 },
    ] as const) {
      gateway.simulator.world.clearFaults();
      gateway.simulator.world.addFault({ fault });
      await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, freshRecipient()), 'read');
    }
  });
});
