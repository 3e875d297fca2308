import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import {
  admin,
  createTenant,
  freshRecipient,
  readMessage,
  send,
  type Tenant,
  textTo,
  untilStatus,
  writtenRecipient,
} from '../../harness/tenant.ts';

describe('Direct Send', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  let other: Tenant;
  before(async () => {
    gateway = await startGateway();
    tenant = await createTenant(gateway);
    other = await createTenant(gateway);
    for (const { wabaId } of [tenant, other]) {
      const waba = gateway.simulator.world.accounts.findWaba(wabaId);
      waba!.attributes.direct_send_enabled = true;
    }
  });
  after(() => gateway.stop());

  const allow = (directSend: boolean) =>
    admin(gateway, 'PATCH', `/organizations/${tenant.organizationId}`, { direct_send: directSend });
  const directTo = (to: string, category = 'utility') => ({ ...textTo(to), category });

  it('setting off → refused outside the window, and the answer names the setting', async () => {
    const refused = await send(gateway, tenant, directTo(freshRecipient()));
    assertError(refused, 403, 'OUTSIDE_24H_WINDOW', 131047);
    assert.match(refused.json.message, /"direct_send"/);
    const ordinary = await send(gateway, tenant, textTo(freshRecipient()));
    assert.doesNotMatch(ordinary.json.message, /direct_send/);
  });

  it('setting off, window open → sent as an ordinary message', async () => {
    const answer = await send(gateway, tenant, directTo(await writtenRecipient(gateway, tenant)));
    assert.equal(answer.status, 202);
    const message = await readMessage(gateway, tenant, answer.json.messages[0].id);
    assert.equal(message.conversation_category, 'service');
  });

  it('setting on → delivered outside the window at the price of its category, one tenant only', async () => {
    await allow(true);
    const answer = await send(gateway, tenant, directTo(freshRecipient()));
    assert.equal(answer.status, 202, answer.text);
    const { id } = answer.json.messages[0];
    assert.equal((await readMessage(gateway, tenant, id)).conversation_category, 'utility');
    await untilStatus(gateway, tenant, id, 'delivered', 'read');
    assert.equal((await send(gateway, other, directTo(freshRecipient()))).status, 403);
    const service = await send(gateway, tenant, directTo(freshRecipient(), 'service'));
    assertError(service, 403, 'OUTSIDE_24H_WINDOW', 131047);
    await allow(false);
    assert.equal((await send(gateway, tenant, directTo(freshRecipient()))).status, 403);
  });

  it('setting on, a plan without the category → refused', async () => {
    await allow(true);
    const path = `/organizations/${tenant.organizationId}/plan`;
    await admin(gateway, 'PUT', path, { template_categories: ['MARKETING'] });
    const refused = await send(gateway, tenant, directTo(freshRecipient()));
    assertError(refused, 403, 'PLAN_TYPE_NOT_INCLUDED', refused.json.error.code);
    await admin(gateway, 'PUT', path, { template_categories: null });
  });
});
