import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../src/core/ids.ts';
import type { Queryable } from '../src/database/database.ts';
import { recordCompletions } from '../src/dispatch/result-queries.ts';
import type { StatusUpdate } from '../src/messages/index.ts';
import { applyEarlyStatuses, recordStatuses } from '../src/messages/record-statuses.ts';
import { pullAll } from './harness/events.ts';
import { type Gateway, startGateway } from './harness/gateway.ts';
import { admin, createTenant, freshRecipient, readMessage, sendTemplate, type Tenant } from './harness/tenant.ts';
import { freshWamid } from './harness/upstream-webhook.ts';

describe('statuses that race the send they tell of', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  before(async () => {
    gateway = await startGateway();
    tenant = await createTenant(gateway);
    // The tests play the dispatcher themselves.
    await admin(gateway, 'PATCH', `/numbers/${tenant.phoneNumberId}`, { paused: true });
  });
  after(() => gateway.stop());

  function delivered(wamid: string): StatusUpdate {
    return {
      wamid,
      phoneNumberId: tenant.phoneNumberId,
      contact: undefined,
      status: 'delivered',
      atMs: Date.now(),
      errorCode: undefined,
      errorMessage: undefined,
      category: undefined,
      pricingType: undefined,
      callbackData: undefined,
      value: undefined,
    };
  }

  async function recordSent(messageId: string, wamid: string): Promise<void> {
    const { db } = gateway.app;
    const [queued] = await db.query<{ number_id: number; flow_id: number; seq: number }>({
      text: 'SELECT number_id, flow_id, seq FROM send_queue WHERE message_id = $1',
      values: [messageId],
    });
    assert.ok(queued);
    const { number_id: numberId, flow_id: flowId, seq } = queued;
    const result = { kind: 'sent' as const, wamid };
    const completion = {
      organizationId: tenant.organizationId,
      messageId,
      numberId,
      flowId,
      seq,
      atMs: Date.now(),
      result,
    };
    await recordCompletions(db, newId(), [completion], []);
  }

  /** Lets `between` happen after the first statement of a transaction and before its second. */
  function interrupted(tx: Queryable, between: () => Promise<void>): Queryable {
    let statements = 0;
    return {
      async query(statement) {
        statements += 1;
        if (statements === 2) await between();
        return await tx.query(statement);
      },
    };
  }

  it('are kept when the send is recorded between looking for it and putting the status aside', async () => {
    const messageId = await sendTemplate(gateway, tenant, freshRecipient());
    const wamid = freshWamid();
    await gateway.app.db.transaction(async (tx) => {
      const racing = interrupted(tx, () => recordSent(messageId, wamid));
      await recordStatuses(racing, [delivered(wamid)], () => tenant.organizationId, Date.now());
    });
    await applyEarlyStatuses(gateway.app.db, 0);
    assert.equal((await readMessage(gateway, tenant, messageId)).status, 'delivered');
    const events = (await pullAll(gateway, tenant)).filter((event) => event.data.id === messageId);
    assert.deepEqual(
      events.map((event) => event.data.status),
      ['queued', 'sent', 'delivered'],
    );
  });
});
