import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { createTenant, freshRecipient, send, type Tenant, templateTo, textTo } from '../../harness/tenant.ts';

const HOUR_MS = 60 * 60 * 1000;

describe('the 24-hour window', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  const receive = (from: string, seed: Record<string, unknown> = {}, receiver = tenant) =>
    gateway.simulator.world.inbound({ phoneNumberId: receiver.phoneNumberId, from, ...seed });
  const assertClosed = async (to: string) =>
    assertError(await send(gateway, tenant, textTo(to)), 403, 'OUTSIDE_24H_WINDOW', 131047);
  const assertOpen = async (to: string) => {
    const answer = await send(gateway, tenant, textTo(to));
    assert.equal(answer.status, 202, answer.text);
  };

  for (const type of [
    'text',
    'image',
    'video',
    'audio',
    'document',
    'sticker',
    'location',
    'interactive',
    'reaction',
    'contacts',
  ]) {
    it(`is needed for type ${type}`, async () => {
      const contents = type === 'contacts' ? [{}] : { body: 'x' };
      const answer = await send(gateway, tenant, { to: freshRecipient(), type, [type]: contents });
      assertError(answer, 403, 'OUTSIDE_24H_WINDOW', 131047);
    });
  }

  it('is not needed for a template', async () => {
    assert.equal((await send(gateway, tenant, templateTo(freshRecipient()))).status, 202);
  });

  it("opens with a person's message, and closes 24 hours after the upstream's timestamp", async () => {
    const [inTime, late] = [freshRecipient(), freshRecipient()];
    await receive(inTime, { at: Date.now() - 24 * HOUR_MS + 60_000 });
    await receive(late, { at: Date.now() - 24 * HOUR_MS - 1_000 });
    await assertOpen(inTime);
    await assertClosed(late);
  });

  it('ends 24 hours after the newest message, in any order of arrival', async () => {
    const to = freshRecipient();
    await receive(to, { at: Date.now() - HOUR_MS });
    await receive(to, { at: Date.now() - 30 * HOUR_MS });
    await assertOpen(to);
  });

  it('opens at once, even after a refused send', async () => {
    const to = freshRecipient();
    await assertClosed(to);
    await receive(to);
    await assertOpen(to);
  });

  for (const type of ['image', 'button', 'interactive', 'reaction', 'order', 'unsupported', 'contacts', 'location']) {
    it(`is opened by an inbound ${type}`, async () => {
      const to = freshRecipient();
      await receive(to, { type });
      await assertOpen(to);
    });
  }

  it('is not opened by a system message', async () => {
    const to = freshRecipient();
    await receive(to, { type: 'system' });
    await assertClosed(to);
  });

  it('belongs to one sending number', async () => {
    const to = freshRecipient();
    await receive(to, {}, other);
    await assertClosed(to);
    assert.equal((await send(gateway, other, textTo(to))).status, 202);
    await assertClosed(to);
  });

  for (const [written, dialled] of [
    ['5511987654321', '+551187654321'],
    ['551187654322', '+5511987654322'],
    ['5215512345678', '+525512345678'],
  ] as const) {
    it(`is open for ${dialled} if ${written} has written: both are one person`, async () => {
      await receive(written);
      await assertOpen(dialled);
    });
  }

  it('is not opened by an unsigned webhook', async () => {
    const to = freshRecipient();
    await receive(to, { signature: 'wrong' });
    await assertClosed(to);
  });
});

describe('a template that is not approved', () => {
  let tenant: Tenant;
  const STATUSES = ['PENDING', 'REJECTED', 'PAUSED', 'DISABLED'];
  const gateway = useGateway();
  before(async () => {
    const templates = STATUSES.map((status) => ({ name: `made_${status.toLowerCase()}`, language: 'en_US', status }));
    tenant = await createTenant(gateway, { templates });
  });

  for (const status of STATUSES) {
    it(`is refused while it is ${status}, and nothing is sent`, async () => {
      const answer = await send(gateway, tenant, templateTo(freshRecipient(), `made_${status.toLowerCase()}`));
      assertError(answer, 403, 'TEMPLATE_NOT_APPROVED', 132015);
      assert.equal(gateway.simulator.world.sends.total, 0);
    });
  }
});
