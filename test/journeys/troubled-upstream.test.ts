import assert from 'node:assert/strict';
import { afterEach, describe, it, test } from 'node:test';
import { createFastClock } from '../harness/fast-clock.ts';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import { type Gateway, startGateway } from '../harness/gateway.ts';
import {
  admin,
  connectWaba,
  createTenant,
  DEFAULT_TEMPLATES,
  freshRecipient,
  pause,
  queueOf,
  readMessage,
  resume,
  send,
  sendNow,
  sendsTo,
  sendTemplate,
  type Tenant,
  templateTo,
  until,
  untilStatus,
} from '../harness/tenant.ts';

type Fault = Parameters<Gateway['simulator']['world']['addFault']>[0]['fault'];
const SENT = ['sent', 'delivered', 'read'];

describe('trouble upstream', () => {
  const clock = createFastClock(20);
  const gateway = useGateway({ clock });
  const tenant = useTenant(gateway);
  const neighbour = useTenant(gateway);
  afterEach(() => gateway.simulator.world.clearFaults());

  const fault = (kind: Fault, scope: Record<string, string>, times?: number) =>
    gateway.simulator.world.addFault({ fault: kind, scope, ...(times !== undefined && { times }) });
  const sendMany = (sender: Tenant, count: number) =>
    Promise.all(Array.from({ length: count }, () => sendTemplate(gateway, sender, freshRecipient())));
  const assertAllSent = async (sender: Tenant, ids: string[]) => {
    for (const id of ids) await untilStatus(gateway, sender, id, ...SENT);
  };

  it('with one recipient (131056): delays no other recipient, and fails no message', async () => {
    const to = freshRecipient();
    fault({ kind: 'error', code: 131056 }, { recipient: to.slice(1) });
    const held = await sendTemplate(gateway, tenant, to);
    await gateway.simulator.world.sends.waitFor((sent) => sent.waId === to.slice(1));
    await assertAllSent(tenant, await sendMany(tenant, 20));
    assert.equal((await readMessage(gateway, tenant, held)).status, 'queued');
    gateway.simulator.world.clearFaults();
    await assertAllSent(tenant, [held]);
  });

  it('with one number (130429): delays no other number, and every message is sent later', async () => {
    fault({ kind: 'error', code: 130429 }, { phoneNumberId: tenant.phoneNumberId });
    const held = await sendMany(tenant, 10);
    await gateway.simulator.world.sends.waitFor(
      (sent) => sent.phoneNumberId === tenant.phoneNumberId && sent.outcome.kind === 'rejected',
    );
    await assertAllSent(neighbour, await sendMany(neighbour, 20));
    for (const id of held) assert.equal((await readMessage(gateway, tenant, id)).status, 'queued');
    gateway.simulator.world.clearFaults();
    await assertAllSent(tenant, held);
  });

  it('with one number (130429): the queue shows the reduced pace, also of one set by an operator', async () => {
    for (const own of [null, 40]) {
      const slowed = await createTenant(gateway);
      await admin(gateway, 'PATCH', `/numbers/${slowed.phoneNumberId}`, { messages_per_second: own });
      const pace = async () => (await queueOf(gateway, slowed)).messages_per_second;
      await pause(gateway, slowed);
      const ids = await sendMany(slowed, 2);
      assert.equal(await pace(), own ?? 80);
      fault({ kind: 'error', code: 130429 }, { phoneNumberId: slowed.phoneNumberId });
      await resume(gateway, slowed);
      await until('it is slowed down', async () => (await pace()) <= (own ?? 80) / 2 || undefined);
      gateway.simulator.world.clearFaults();
      await assertAllSent(slowed, ids);
    }
  });

  for (const [name, kind] of Object.entries<Fault>({
    'an error of the platform that passes (131000)': { kind: 'error', code: 131000 },
    'an error marked as transient': { kind: 'error', code: 100, isTransient: true },
    'a busy platform (2)': { kind: 'error', code: 2 },
    'maintenance (131057)': { kind: 'error', code: 131057 },
    'a box in between that answers 503': {
      kind: 'http',
      httpStatus: 503,
      body: '<h1>busy</h1>',
      contentType: 'text/html',
    },
    'a reset before anything was read': { kind: 'reset_before' },
  })) {
    it(`${name}: tried again, and the message is sent`, async () => {
      const to = freshRecipient();
      fault(
        kind,
        kind.kind === 'reset_before' ? { phoneNumberId: tenant.phoneNumberId } : { recipient: to.slice(1) },
        1,
      );
      await assertAllSent(tenant, [await sendTemplate(gateway, tenant, to)]);
      assert.equal(sendsTo(gateway, to).filter((sent) => sent.outcome.kind === 'accepted').length, 1);
    });
  }

  it("persistent: fails the message after its attempts, with the upstream's code", async () => {
    const to = freshRecipient();
    fault({ kind: 'error', code: 131000 }, { recipient: to.slice(1) });
    const message = await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, to), 'failed');
    assert.equal(message.error_code, '131000');
    assert.notEqual(message.error_message, '');
    assert.equal(sendsTo(gateway, to).length, 5);
  });

  it('an outage of the platform: fails no message, however long it lasts', async () => {
    const to = freshRecipient();
    fault({ kind: 'error', code: 2 }, { recipient: to.slice(1) }, 5);
    await assertAllSent(tenant, [await sendTemplate(gateway, tenant, to)]);
    assert.equal(sendsTo(gateway, to).length, 6);
  });

  it('a wrong token: parks the WABA, messages are accepted and wait, a new token resumes them', async () => {
    const parked = await createTenant(gateway);
    gateway.simulator.world.rotateToken(parked.wabaId, 'EAAnewtoken');
    const first = await sendMany(parked, 5);
    await until('the WABA is parked', async () => {
      const { waits_for } = await queueOf(gateway, parked);
      return waits_for.some((reason) => reason.startsWith('parked: 190')) || undefined;
    });
    assert.equal((await queueOf(gateway, parked)).parked_until, 'someone acts');
    const attempts = () => gateway.simulator.world.sends.list({ phoneNumberId: parked.phoneNumberId }).length;
    const attempted = attempts();
    assert.ok(attempted <= 5, `${attempted} attempts`);
    const more = await sendMany(parked, 10);
    await assertAllSent(neighbour, await sendMany(neighbour, 10));
    assert.equal(attempts(), attempted, 'nothing more was tried');
    assert.equal((await queueOf(gateway, parked)).queued, 15);
    for (const id of [...first, ...more]) assert.equal((await readMessage(gateway, parked, id)).status, 'queued');

    await connectWaba(gateway, parked.organizationId, parked.wabaId);
    await assertAllSent(parked, [...first, ...more]);
    assert.equal(
      gateway.simulator.world.sends.list({ phoneNumberId: parked.phoneNumberId, outcome: 'accepted' }).length,
      15,
    );
  });

  it('a number delayed for a while: the queue shows until when, and nothing more', async () => {
    const parked = await createTenant(gateway);
    fault({ kind: 'error', code: 131057 }, { phoneNumberId: parked.phoneNumberId });
    const startedAtMs = clock.now();
    await sendMany(parked, 2);
    const queue = await until('the number is parked', async () => {
      const found = await queueOf(gateway, parked);
      return found.waits_for.some((reason) => reason.includes('131057')) ? found : undefined;
    });
    assert.equal(queue.waits_for.length, 1, queue.waits_for.join());
    const seconds = (Date.parse(queue.parked_until ?? '') - startedAtMs) / 1000;
    assert.ok(seconds > 10 && seconds < 200, `parked until ${queue.parked_until}`);
    gateway.simulator.world.clearFaults();
  });

  it('a locked account (131031): parked in the same way', async () => {
    const parked = await createTenant(gateway);
    fault({ kind: 'error', code: 131031 }, { wabaId: parked.wabaId });
    const ids = await sendMany(parked, 3);
    await until(
      'the account is parked',
      async () => (await queueOf(gateway, parked)).waits_for.some((reason) => reason.includes('131031')) || undefined,
    );
    for (const id of ids) assert.equal((await readMessage(gateway, parked, id)).status, 'queued');
    gateway.simulator.world.clearFaults();
    await connectWaba(gateway, parked.organizationId, parked.wabaId);
    await assertAllSent(parked, ids);
  });

  describe('reported late by the platform', () => {
    /** Sends a message that the platform refuses with `code` after a delay; resolves while the request is in flight. */
    const sendRefused = async (sender: Tenant, code: number) => {
      const { phoneNumberId } = sender;
      fault({ kind: 'slow', delayMs: 20_000 }, { phoneNumberId }, 1);
      fault({ kind: 'error', code }, { phoneNumberId }, 1);
      const id = await sendTemplate(gateway, sender, freshRecipient());
      await gateway.simulator.world.sends.waitFor((sent) => sent.phoneNumberId === phoneNumberId);
      return id;
    };

    it('an account connected again meanwhile: its number is not parked', async () => {
      const parked = await createTenant(gateway);
      const message = await sendRefused(parked, 133010);
      await connectWaba(gateway, parked.organizationId, parked.wabaId);
      await assertAllSent(parked, [message]);
      assert.deepEqual((await queueOf(gateway, parked)).waits_for, []);
    });

    for (const [what, code] of [
      ['number', 133010],
      ['account', 131031],
    ] as const) {
      it(`a ${what} read again meanwhile (${code}): not parked`, async () => {
        const parked = await createTenant(gateway);
        const message = await sendRefused(parked, code);
        await admin(gateway, 'POST', `/wabas/${parked.wabaId}/sync`);
        await assertAllSent(parked, [message]);
        assert.deepEqual((await queueOf(gateway, parked)).waits_for, []);
        assert.equal((await send(gateway, parked, templateTo(freshRecipient()))).status, 202);
      });
    }

    it('an account that the number has moved to meanwhile: not parked', async () => {
      const moving = await createTenant(gateway);
      const message = await sendRefused(moving, 190);
      const accessToken = `${moving.wabaId}-next`;
      const to = { id: `${moving.wabaId}1`, accessToken, templates: DEFAULT_TEMPLATES };
      const number = { id: moving.phoneNumberId, displayPhoneNumber: `+${moving.phoneNumber}` };
      gateway.simulator.world.addWaba({ ...to, numbers: [number] });
      await connectWaba(gateway, moving.organizationId, to.id);
      await assertAllSent(moving, [message]);
    });
  });

  it("a message not dispatched in its organization's time: EXPIRED; others keep waiting", async () => {
    const hasty = await createTenant(gateway);
    const patient = await createTenant(gateway);
    await admin(gateway, 'PATCH', `/organizations/${hasty.organizationId}`, { message_ttl_seconds: 40 });
    for (const sender of [hasty, patient]) await pause(gateway, sender);
    const expiring = await sendTemplate(gateway, hasty, freshRecipient());
    const waiting = await sendTemplate(gateway, patient, freshRecipient());
    const message = await untilStatus(gateway, hasty, expiring, 'failed');
    assert.equal(message.error_code, 'EXPIRED');
    assert.notEqual(message.error_message, '');
    assert.equal((await readMessage(gateway, patient, waiting)).status, 'queued');
    await resume(gateway, hasty);
    await assertAllSent(hasty, [await sendTemplate(gateway, hasty, freshRecipient())]);
    assert.equal((await readMessage(gateway, hasty, expiring)).status, 'failed');
  });
});

test('requests of one organization unanswered by the platform: delay no other organization', async (t) => {
  const gateway = await startGateway({ upstreamConnectionsMax: 16 });
  t.after(() => gateway.stop());
  const { world } = gateway.simulator;
  const [silent, other] = [await createTenant(gateway), await createTenant(gateway)];
  world.addFault({ fault: { kind: 'hang' }, scope: { phoneNumberId: silent.phoneNumberId } });
  await Promise.all(Array.from({ length: 40 }, () => sendTemplate(gateway, silent, freshRecipient())));
  await until(
    'the platform has as many as it gets',
    () => world.sends.list({ phoneNumberId: silent.phoneNumberId }).length >= 14 || undefined,
  );
  for (let turn = 0; turn < 3; turn += 1) {
    await sendNow(gateway, other);
  }
});
