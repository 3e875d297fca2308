import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { lockTemplates } from '../../../src/templates/follow/change-queries.ts';
import { requestLooks } from '../../../src/templates/follow/poll-queries.ts';
import { firstLooks } from '../../../src/templates/follow/review-schedule.ts';
import { noteTemplateRefused } from '../../../src/templates/index.ts';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import { untilWaiting } from '../../harness/lock-waits.ts';
import { createTenant, freshRecipient, send, type Tenant, templateTo, until } from '../../harness/tenant.ts';

describe('a template the upstream refuses at a send', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  before(async () => {
    gateway = await startGateway();
    tenant = await createTenant(gateway);
  });
  after(() => gateway.stop());

  it('is not sendable after a refusal as paused, even without a webhook', async () => {
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

  it('is recorded, beside missing ones, while a webhook reports the same', async () => {
    const { db } = gateway.app;
    const { organizationId, wabaId } = await createTenant(gateway);
    const template = gateway.simulator.world.accounts.findTemplateByName(wabaId, 'spring_sale', 'en_US');
    assert.ok(template);
    const refusal = { organizationId, wabaId, name: 'spring_sale', language: 'en_US', code: '132015' };
    const { noted } = await db.transaction(async (tx) => {
      await lockTemplates(tx, [{ organizationId, wabaId, id: template.id }]);
      const refusals = [refusal, { ...refusal, code: '132001' }];
      const noted = db.transaction((other) => noteTemplateRefused(other, refusals, Date.now()));
      await untilWaiting(db);
      await requestLooks(tx, firstLooks([{ organizationId, wabaId, status: 'PAUSED' }], Date.now()), Date.now());
      return { noted };
    });
    await noted;
    const [stored] = await db.query<{ status: string }>({
      text: 'SELECT status FROM template WHERE organization_id = $1 AND id = $2',
      values: [organizationId, template.id],
    });
    assert.equal(stored?.status, 'PAUSED');
  });
});
