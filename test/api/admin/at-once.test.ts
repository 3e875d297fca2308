import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { untilWaiting } from '../../harness/lock-waits.ts';
import {
  admin,
  call,
  freshRecipient,
  issueKey,
  pause,
  queueOf,
  readMessage,
  resume,
  send,
  sendNow,
  sendTemplate,
  templateTo,
  until,
  untilStatus,
} from '../../harness/tenant.ts';

/** Other nodes follow within a second; the answering node has already applied the change. */
describe('a change answered by the admin API is in force on its node at once:', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  before(async () => {
    // Cached before the change, and the number's queue is open.
    await sendNow(gateway, tenant);
  });

  const ROUNDS = 5;

  it('the next message of a paused number waits', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await pause(gateway, tenant);
      const id = await sendTemplate(gateway, tenant, freshRecipient());
      await until('it waits for the pause', async () => {
        const { queued, waits_for } = await queueOf(gateway, tenant);
        assert.equal(queued, 1, 'it has gone in spite of the pause');
        return waits_for.includes('paused') || undefined;
      });
      assert.equal((await readMessage(gateway, tenant, id)).status, 'queued');
      await resume(gateway, tenant);
      await untilStatus(gateway, tenant, id, 'read');
    }
  });

  it('a message about to leave when its number is paused waits', async () => {
    const { db } = gateway.app;
    const id = await db.transaction(async (tx) => {
      // Blocks the journal write, which comes before the first byte.
      await tx.query({ text: 'SELECT FROM shard_lease FOR UPDATE' });
      const sent = await sendTemplate(gateway, tenant, freshRecipient());
      await untilWaiting(db);
      await pause(gateway, tenant);
      return sent;
    });
    await until('its attempt has ended', async () => {
      const attempts = await db.query({
        text: "SELECT FROM send_attempt WHERE message_id = $1 AND outcome = 'unsent'",
        values: [id],
      });
      assert.equal((await readMessage(gateway, tenant, id)).status, 'queued', 'it has gone in spite of the pause');
      return attempts.length > 0 || undefined;
    });
    await resume(gateway, tenant);
    await untilStatus(gateway, tenant, id, 'read');
  });

  it("the next request with a disabled key is refused, another key's are not", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = await issueKey(gateway, tenant);
      const caller = { apiKey: key.key };
      assert.equal((await call(gateway, caller, 'GET', '/v1/messages?limit=1')).status, 200);
      await admin(gateway, 'DELETE', `/api-keys/${key.id}`);
      assertError(await call(gateway, caller, 'GET', '/v1/messages?limit=1'), 401, 'UNAUTHORIZED');
      assert.equal((await call(gateway, tenant, 'GET', '/v1/messages?limit=1')).status, 200);
    }
  });

  it('the next send uses the new plan, with the organization id in any case', async () => {
    const path = `/organizations/${tenant.organizationId.toUpperCase()}/plan`;
    for (let round = 0; round < ROUNDS; round += 1) {
      await admin(gateway, 'PUT', path, { active: false });
      assertError(await send(gateway, tenant, templateTo(freshRecipient())), 403, 'PLAN_INACTIVE');
      await admin(gateway, 'PUT', path, { active: true });
      await sendNow(gateway, tenant);
    }
  });

  it('the next send uses the synced number', async () => {
    const sync = () => admin(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`);
    const become = (status: string) => gateway.simulator.world.updateNumber(tenant.phoneNumberId, { status });
    for (let round = 0; round < ROUNDS; round += 1) {
      become('PENDING');
      await sync();
      assertError(await send(gateway, tenant, templateTo(freshRecipient())), 409, 'ACCOUNT_NOT_REGISTERED');
      become('CONNECTED');
      await sync();
      // Waits until the message was sent. In flight, it would be refused once the platform treats the number as unregistered.
      await sendNow(gateway, tenant);
    }
  });
});
