import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pullAll } from '../../harness/events.ts';
import { useFurtherNode, useGateway } from '../../harness/fixtures.ts';
import { createManualClock } from '../../harness/manual-clock.ts';
import { admin, connectWaba, createTenant, freshRecipient, type Tenant, until } from '../../harness/tenant.ts';
import { inboundText, messagesChange, nowSeconds, payloadOf, postWebhook } from '../../harness/upstream-webhook.ts';

const READING_MS = 5_000;

describe('webhooks of a business account that arrive while it is being connected', () => {
  const platformClock = createManualClock(Date.now());
  const gateway = useGateway({ isOneOfSeveral: true, simulator: { clock: platformClock } });
  const other = useFurtherNode(gateway);

  const write = async (tenant: Tenant, ...changes: unknown[]) => {
    const from = freshRecipient().slice(1);
    const messages = messagesChange(tenant, { messages: [inboundText(from, nowSeconds())] });
    const { status } = await postWebhook(other, payloadOf(tenant, messages, ...changes));
    assert.equal(status, 200);
    return from;
  };
  /** Connects the account of one tenant to the other's organization, and runs `meanwhile` while it is read. */
  const connectSlowly = async ({ wabaId }: Tenant, { organizationId }: Tenant, meanwhile: () => Promise<unknown>) => {
    gateway.simulator.world.addFault({
      fault: { kind: 'slow', delayMs: READING_MS },
      scope: { endpoint: 'templates', wabaId },
      times: 1,
    });
    const connected = connectWaba(gateway, organizationId, wabaId);
    await platformClock.whenScheduled(READING_MS);
    await meanwhile();
    platformClock.advance(READING_MS);
    await connected;
  };

  it('applied once it is connected, on any node; earlier ones belong to no organization', async () => {
    const [former, owner] = [await createTenant(gateway), await createTenant(gateway)];
    await admin(gateway, 'DELETE', `/wabas/${former.wabaId}`);
    const taken = { ...former, organizationId: owner.organizationId, apiKey: owner.apiKey };
    const before = await write(taken);
    let meanwhile = '';
    await connectSlowly(former, owner, async () => {
      meanwhile = await write(taken, { field: 'account_update', value: { event: 'ACCOUNT_VIOLATION' } });
    });
    const afterwards = await write(taken);
    const told = await until('all of it is told', async () => {
      const events = (await pullAll(gateway, owner)).filter((event) => event.data.waba_id === former.wabaId);
      return events.length >= 3 ? events : undefined;
    });
    assert.deepEqual(told.map(({ type }) => type).sort(), ['account.updated', 'message.received', 'message.received']);
    const senders = told.flatMap((event) => event.data.sender_phone ?? []);
    assert.deepEqual(senders.toSorted(), [meanwhile, afterwards].toSorted());
    assert.ok(!senders.includes(before));
    assert.deepEqual(
      (await pullAll(gateway, former)).map(({ type }) => type),
      [],
    );
  });
});
