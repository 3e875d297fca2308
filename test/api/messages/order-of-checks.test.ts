import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, call, createTenant, send, templateTo, textTo } from '../../harness/tenant.ts';

const TO = '+15551230001';
const BAD_BODY = { to: TO, type: 'poll' };

/** Order: key, body, path and tenant, number state, plan, template, window. The first failure is reported. */
describe('the order of checks', () => {
  const gateway = useGateway();
  const registered = useTenant(gateway);
  const unregistered = useTenant(gateway, { number: { status: 'PENDING' } });
  before(async () => {
    for (const { organizationId } of [registered, unregistered]) {
      await admin(gateway, 'PUT', `/organizations/${organizationId}/plan`, { active: false, monthly_message_limit: 0 });
    }
  });

  it('reports 401 before a bad body', async () => {
    const answer = await call(gateway, undefined, 'POST', '/v1/1/messages', { body: BAD_BODY });
    assertError(answer, 401, 'UNAUTHORIZED');
  });

  it('reports a bad body, sync or Idempotency-Key before an unknown number', async () => {
    const at = (query: string, body: unknown, headers: Record<string, string> = {}) =>
      call(gateway, registered, 'POST', `/v1/1/messages${query}`, { body, headers });
    assertError(await at('', BAD_BODY), 400, 'VALIDATION_ERROR');
    assertError(await at('?sync=x', textTo(TO)), 400, 'VALIDATION_ERROR');
    assertError(await at('', textTo(TO), { 'idempotency-key': '' }), 400, 'VALIDATION_ERROR');
    assertError(await at('', textTo(TO)), 404, 'ACCOUNT_NOT_FOUND');
  });

  it("reports a bad body before the number's state", async () => {
    assertError(await send(gateway, unregistered, BAD_BODY), 400, 'VALIDATION_ERROR');
  });

  it("reports the number's state before the plan", async () => {
    assertError(await send(gateway, unregistered, templateTo(TO)), 409, 'ACCOUNT_NOT_REGISTERED');
  });

  it('reports the plan before template and window', async () => {
    for (const body of [templateTo(TO, 'never_made'), templateTo(TO, 'in_review'), textTo(TO)]) {
      assertError(await send(gateway, registered, body), 403, 'PLAN_INACTIVE');
    }
  });

  it("reports a category missing in the plan before the template's approval", async () => {
    const tenant = await createTenant(gateway);
    await admin(gateway, 'PUT', `/organizations/${tenant.organizationId}/plan`, { template_categories: ['MARKETING'] });
    assertError(await send(gateway, tenant, templateTo(TO, 'in_review')), 403, 'PLAN_TYPE_NOT_INCLUDED');
    assertError(await send(gateway, tenant, templateTo(TO, 'never_made')), 404, 'TEMPLATE_NOT_FOUND');
  });

  it('reports a used-up month before template and window', async () => {
    const tenant = await createTenant(gateway);
    const plan = `/organizations/${tenant.organizationId}/plan`;
    await admin(gateway, 'PUT', plan, { monthly_message_limit: 0 });
    for (const body of [templateTo(TO, 'never_made'), templateTo(TO, 'in_review'), textTo(TO), templateTo(TO)]) {
      assertError(await send(gateway, tenant, body), 403, 'PLAN_MESSAGE_LIMIT_REACHED');
    }
    const other = await createTenant(gateway);
    await admin(gateway, 'PUT', `/organizations/${other.organizationId}/plan`, { monthly_budget: 0 });
    for (const body of [templateTo(TO, 'never_made'), textTo(TO)]) {
      assertError(await send(gateway, other, body), 403, 'PLAN_BUDGET_EXCEEDED');
    }
  });

  it('reports a missing template before a missing language, and that before its approval', async () => {
    const templates = [
      { name: 'two', language: 'en_US', status: 'PENDING' },
      { name: 'two', language: 'de', status: 'PENDING' },
    ];
    const tenant = await createTenant(gateway, { templates });
    const { language: _, ...withoutLanguage } = templateTo(TO, 'two').template;
    assertError(await send(gateway, tenant, templateTo(TO, 'three')), 404, 'TEMPLATE_NOT_FOUND');
    assertError(
      await send(gateway, tenant, { ...templateTo(TO, 'two'), template: withoutLanguage }),
      400,
      'TEMPLATE_LANGUAGE_REQUIRED',
    );
    assertError(
      await send(gateway, tenant, templateTo(TO, 'two', { language: { code: 'fr' } })),
      404,
      'TEMPLATE_LANGUAGE_NOT_FOUND',
    );
    assertError(await send(gateway, tenant, templateTo(TO, 'two')), 403, 'TEMPLATE_NOT_APPROVED');
    assert.equal(gateway.simulator.world.sends.total, 0);
  });
});
