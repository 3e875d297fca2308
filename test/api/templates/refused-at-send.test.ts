import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import { createTenant, freshRecipient, send, type Tenant, templateTo, until } from '../../harness/tenant.ts';

describe('a template the upstream refuses at a send', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  before(async () => {
    gateway = await startGateway();
    tenant = await createTenant(gateway);
  });
  after(() => gateway.stop());

  it('stops being sendable when the refusal says it is paused, even without a webhook', async () => {
    const known = gateway.simulator.world.accounts.findTemplateByName(tenant.wabaId, 'spring_sale', 'en_US');
    assert.ok(known);
    known.status = 'PAUSED';
    const refused = await send(gateway, tenant, templateTo(freshRecipient()), { query: '?sync=true' });
    assert.equal(refused.status, 422, refused.text);
    assert.equal(refused.json.error.code, 132015);
    const later = await until('acceptance refuses the template', async () => {
      const answer = await send(gateway, tenant, templateTo(freshRecipient()));
      return answer.status === 403 ? answer : undefined;
    });
    assert.equal(later.json.code, 'TEMPLATE_NOT_APPROVED');
  });
});
