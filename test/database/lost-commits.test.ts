import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import type { Database } from '../../src/database/database.ts';
import { recordCompletions, recordPostponements } from '../../src/dispatch/outcomes/result-queries.ts';
import { lengthenHolds, listGone } from '../../src/dispatch/unknown-outcomes/unknown-outcome-queries.ts';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import {
  createTenant,
  freshRecipient,
  pause,
  resume,
  send,
  type Tenant,
  templateTo,
  until,
  untilStatus,
} from '../harness/tenant.ts';

interface Queued {
  message_id: string;
  number_id: number;
  flow_id: number;
  seq: number;
}

describe('a failover that lost the last commits, so that queue numbers are reused', () => {
  let db: Database;
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  before(async () => {
    ({ db } = gateway.app);
    await pause(gateway, tenant);
  });

  async function accept(by: Tenant, to: string): Promise<string> {
    const answer = await send(gateway, by, templateTo(to));
    assert.equal(answer.status, 202, answer.text);
    return answer.json.messages[0].id as string;
  }

  async function findQueued(messageId: string): Promise<Queued> {
    const [row] = await db.query<Queued>({
      text: 'SELECT message_id, number_id, flow_id, seq FROM send_queue WHERE message_id = $1',
      values: [messageId],
    });
    assert.ok(row);
    return row;
  }

  /** Deletes a message as if it had never been stored. */
  async function lose(messageId: string): Promise<Queued> {
    const queued = await findQueued(messageId);
    await db.query({
      text: `WITH gone AS (DELETE FROM send_queue WHERE message_id = $1) DELETE FROM message WHERE id = $1`,
      values: [messageId],
    });
    await db.query({ text: `ALTER SEQUENCE send_queue_seq_seq RESTART WITH ${queued.seq}` });
    return queued;
  }

  it('no message goes to the recipient of another', async () => {
    const other = await createTenant(gateway);
    await lose(await accept(tenant, freshRecipient()));
    const recipient = freshRecipient();
    const id = await accept(other, recipient);
    await untilStatus(gateway, other, id, 'read');
    const arrived = gateway.simulator.world.sends.list({ phoneNumberId: other.phoneNumberId });
    assert.deepEqual(
      arrived.map(({ to }) => to),
      [recipient],
    );
  });

  it('a recorded result: leaves the new message with its number in the queue', async () => {
    const lost = await lose(await accept(tenant, freshRecipient()));
    const id = await accept(tenant, freshRecipient());
    const queued = await findQueued(id);
    assert.equal(queued.seq, lost.seq);
    const { message_id: messageId, number_id: numberId, flow_id: flowId, seq } = lost;
    const result = { kind: 'sent', wamid: `wamid.${messageId}` } as const;
    const { organizationId } = tenant;
    const completion = { organizationId, messageId, numberId, flowId, seq, atMs: Date.now(), result };
    await recordCompletions(db, newId(), [completion], [], Date.now());
    assert.deepEqual(await findQueued(id), queued);
  });

  it('an unknown outcome: holds nothing of the new message, and counts as gone', async () => {
    const {
      message_id: messageId,
      number_id: numberId,
      flow_id: flowId,
      seq,
    } = await lose(await accept(tenant, freshRecipient()));
    const id = await accept(tenant, freshRecipient());
    const lost = { messageId, numberId, flowId, seq, attempt: 0, unknownCount: 1 };
    const findHold = async () => {
      const [row] = await db.query<{ unknown_count: number; hold_until: Date | null }>({
        text: 'SELECT unknown_count, hold_until FROM send_queue WHERE message_id = $1',
        values: [id],
      });
      return row;
    };
    const nowMs = Date.now();
    await recordPostponements(db, newId(), [
      { ...lost, dueAtMs: null, holdUntilMs: nowMs + 30_000, attemptedAtMs: nowMs },
    ]);
    assert.deepEqual(await findHold(), { unknown_count: 0, hold_until: null });

    const here = { ...lost, messageId: id };
    await recordPostponements(db, newId(), [{ ...here, dueAtMs: null, holdUntilMs: nowMs, attemptedAtMs: nowMs }]);
    await lengthenHolds(db, [{ ...lost, holdUntilMs: nowMs + 30_000 }]);
    assert.deepEqual(await findHold(), { unknown_count: 1, hold_until: new Date(nowMs) });
    assert.deepEqual(await listGone(db, [lost]), [seq]);
    assert.deepEqual(await listGone(db, [here]), []);
  });

  it('new messages are sent, lost ones are not', async () => {
    await db.query({ text: 'DELETE FROM send_queue' });
    await lose(await accept(tenant, freshRecipient()));
    const recipient = freshRecipient();
    const id = await accept(tenant, recipient);
    await resume(gateway, tenant);
    await untilStatus(gateway, tenant, id, 'read');
    const arrived = () => gateway.simulator.world.sends.list({ phoneNumberId: tenant.phoneNumberId });
    await until('it is sent', () => arrived().length > 0 || undefined);
    assert.deepEqual(
      arrived().map(({ to }) => to),
      [recipient],
    );
  });
});
