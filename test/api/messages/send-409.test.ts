import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway } from '../../harness/fixtures.ts';
import {
  admin,
  createTenant,
  freshRecipient,
  queueOf,
  send,
  sendTemplate,
  templateTo,
  until,
  untilStatus,
} from '../../harness/tenant.ts';

describe('a number that has not completed its registration', () => {
  const gateway = useGateway();

  for (const seed of [{ status: 'PENDING' }, { status: 'DISCONNECTED' }, { platformType: 'NOT_APPLICABLE' }]) {
    it(`refuses sends and mark-as-read with ACCOUNT_NOT_REGISTERED: ${JSON.stringify(seed)}`, async () => {
      const tenant = await createTenant(gateway, { number: seed });
      for (const body of [templateTo(freshRecipient()), { status: 'read', message_id: 'wamid.x' }]) {
        assertError(await send(gateway, tenant, body), 409, 'ACCOUNT_NOT_REGISTERED', 133010);
      }
    });
  }

  it('can send once it is registered and synced', async () => {
    const tenant = await createTenant(gateway, { number: { status: 'PENDING' } });
    assertError(await send(gateway, tenant, templateTo(freshRecipient())), 409, 'ACCOUNT_NOT_REGISTERED');
    gateway.simulator.world.updateNumber(tenant.phoneNumberId, { status: 'CONNECTED' });
    await admin(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`);
    const answer = await until('the number can send', async () => {
      const found = await send(gateway, tenant, templateTo(freshRecipient()));
      return found.status === 409 ? undefined : found;
    });
    assert.equal(answer.status, 202, answer.text);
  });

  it('a refused message makes it unregistered; it can send once registered and synced', async () => {
    const tenant = await createTenant(gateway);
    gateway.simulator.world.updateNumber(tenant.phoneNumberId, { status: 'DISCONNECTED' });
    const waiting = await sendTemplate(gateway, tenant, freshRecipient());
    const refusal = await until('the number is known to be unregistered', async () => {
      const found = await send(gateway, tenant, templateTo(freshRecipient()));
      return found.status === 202 ? undefined : found;
    });
    assertError(refusal, 409, 'ACCOUNT_NOT_REGISTERED', 133010);
    assert.deepEqual((await queueOf(gateway, tenant)).parked_until, 'someone acts');
    gateway.simulator.world.updateNumber(tenant.phoneNumberId, { status: 'CONNECTED' });
    await admin(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`);
    await untilStatus(gateway, tenant, waiting, 'sent', 'delivered', 'read');
    assert.equal((await send(gateway, tenant, templateTo(freshRecipient()))).status, 202);
  });
});
