import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { startFurtherNode, startGateway } from '../../harness/gateway.ts';
import { untilWaiting } from '../../harness/lock-waits.ts';
import {
  admin,
  createTenant,
  freshRecipient,
  send,
  sendTemplate,
  type Tenant,
  templateTo,
  textTo,
  until,
  untilStatus,
  writtenRecipient,
} from '../../harness/tenant.ts';

describe('the plan of an organization', () => {
  const gateway = useGateway();
  const other = useTenant(gateway);

  const withPlan = async (plan: Record<string, unknown>) => {
    const tenant = await createTenant(gateway);
    await admin(gateway, 'PUT', `/organizations/${tenant.organizationId}/plan`, plan);
    return tenant;
  };
  const usageOf = (tenant: Tenant) =>
    admin<{ accepted: number; failed: number; spent: number }>(
      gateway,
      'GET',
      `/organizations/${tenant.organizationId}/usage`,
    );
  /** Sends all at once; returns the count accepted, and the codes of the rest. */
  const sendMany = async (
    tenant: Tenant,
    count: number,
    headers: (index: number) => Record<string, string> = () => ({}),
  ) => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        send(gateway, tenant, templateTo(freshRecipient()), { headers: headers(index) }),
      ),
    );
    const refused = answers.filter((answer) => answer.status !== 202);
    return { accepted: count - refused.length, codes: new Set(refused.map((answer) => answer.json.code)) };
  };

  it('is unlimited by default', async () => {
    assert.deepEqual(await sendMany(other, 20), { accepted: 20, codes: new Set() });
  });

  it('not active: every send is PLAN_INACTIVE; other organizations are not affected', async () => {
    const tenant = await withPlan({ active: false });
    const to = await writtenRecipient(gateway, tenant);
    for (const body of [templateTo(to), textTo(to)]) {
      assertError(await send(gateway, tenant, body), 403, 'PLAN_INACTIVE', 131042);
    }
    await sendTemplate(gateway, other, freshRecipient());
  });

  it('applies again once it is active', async () => {
    const tenant = await withPlan({ active: false });
    assertError(await send(gateway, tenant, templateTo(freshRecipient())), 403, 'PLAN_INACTIVE');
    await admin(gateway, 'PUT', `/organizations/${tenant.organizationId}/plan`, { active: true });
    const answer = await until('the plan is active', async () => {
      const found = await send(gateway, tenant, templateTo(freshRecipient()));
      return found.status === 403 ? undefined : found;
    });
    assert.equal(answer.status, 202, answer.text);
  });

  it('refuses a message type that it lacks', async () => {
    const tenant = await withPlan({ message_types: ['text'] });
    const to = await writtenRecipient(gateway, tenant);
    assertError(await send(gateway, tenant, templateTo(to)), 403, 'PLAN_TYPE_NOT_INCLUDED', 131042);
    assert.equal((await send(gateway, tenant, textTo(to))).status, 202);
  });

  it('refuses a template category that it lacks', async () => {
    const tenant = await withPlan({ template_categories: ['UTILITY', 'authentication'] });
    assertError(await send(gateway, tenant, templateTo(freshRecipient())), 403, 'PLAN_TYPE_NOT_INCLUDED', 131042);
    await sendTemplate(gateway, tenant, freshRecipient(), 'login_code');
  });

  it('allows mark-as-read despite all limits', async () => {
    const tenant = await withPlan({ monthly_message_limit: 0, message_types: [] });
    const { wamid } = await gateway.simulator.world.inbound({
      phoneNumberId: tenant.phoneNumberId,
      from: freshRecipient(),
    });
    assert.equal((await send(gateway, tenant, { status: 'read', message_id: wamid })).status, 200);
  });

  it('accepts exactly its monthly limit, however many are sent at once', async () => {
    const tenant = await withPlan({ monthly_message_limit: 25 });
    assert.deepEqual(await sendMany(tenant, 100), { accepted: 25, codes: new Set(['PLAN_MESSAGE_LIMIT_REACHED']) });
    assertError(await send(gateway, tenant, templateTo(freshRecipient())), 403, 'PLAN_MESSAGE_LIMIT_REACHED', 131042);
    assert.equal((await usageOf(tenant)).accepted, 25);
  });

  it('counts a message once, however often it is sent under its Idempotency-Key', async () => {
    const tenant = await withPlan({ monthly_message_limit: 5 });
    const to = freshRecipient();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        send(gateway, tenant, templateTo(to), { headers: { 'idempotency-key': `k${index % 5}` } }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
    assert.equal((await usageOf(tenant)).accepted, 5);
  });

  it('concurrent senders under one Idempotency-Key: all get the same refusal', async () => {
    const tenant = await withPlan({ monthly_message_limit: 0 });
    const body = templateTo(freshRecipient());
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => send(gateway, tenant, body, { headers: { 'idempotency-key': 'refused' } })),
    );
    for (const answer of answers) assertError(answer, 403, 'PLAN_MESSAGE_LIMIT_REACHED');
  });

  it('checks each send under one Idempotency-Key by itself until one is accepted', async () => {
    const tenant = await withPlan({ monthly_budget: 0.1, prices: { marketing: 0.2, utility: 0.1 } });
    const to = freshRecipient();
    const bodies = [templateTo(to), templateTo(to, 'greeting')];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        send(gateway, tenant, bodies[index % 2], { headers: { 'idempotency-key': 'cheaper' } }),
      ),
    );
    const outcomes = answers.map(({ status, json }) => (status === 202 ? json.messages[0].id : json.code));
    const [accepted] = answers.filter(({ status }) => status === 202).map(({ json }) => json.messages[0].id);
    for (const [index, outcome] of outcomes.entries()) {
      // An expensive send after the cheap one was accepted meets a key in use.
      const allowed = index % 2 === 1 ? [accepted] : ['PLAN_BUDGET_EXCEEDED', 'IDEMPOTENCY_KEY_REUSED'];
      assert.ok(allowed.includes(outcome), outcome);
    }
    assert.partialDeepStrictEqual(await usageOf(tenant), { accepted: 1, spent: 0.1 });
  });

  it("does not use another organization's Idempotency-Key", async () => {
    const [mine, theirs] = [
      await withPlan({ monthly_message_limit: 100 }),
      await withPlan({ monthly_message_limit: 100 }),
    ];
    const bodyOf = new Map([...Array(10).keys()].map((index) => [`order-${index}`, templateTo(freshRecipient())]));
    const sendAll = (tenant: Tenant) =>
      Array.from({ length: 50 }, (_, index) => {
        const key = `order-${index % 10}`;
        return send(gateway, tenant, bodyOf.get(key), { headers: { 'idempotency-key': key } });
      });
    await Promise.all(sendAll(mine));
    const answers = await Promise.all([...sendAll(mine), ...sendAll(theirs)]);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
    const ids = answers.map(({ json }) => json.messages[0].id);
    assert.equal(new Set(ids).size, 20);
  });

  it('still answers a replay after the month is used up', async () => {
    const tenant = await withPlan({ monthly_message_limit: 1 });
    const options = { headers: { 'idempotency-key': 'last' } };
    const body = templateTo(freshRecipient());
    const first = await send(gateway, tenant, body, options);
    const again = await send(gateway, tenant, body, options);
    assert.equal(again.status, 202, again.text);
    assert.equal(again.json.messages[0].id, first.json.messages[0].id);
  });

  it('refuses messages beyond the budget, exactly, and lets cheaper ones through', async () => {
    const tenant = await withPlan({ monthly_budget: 0.3, prices: { marketing: 0.07, utility: 0.02 } });
    assert.deepEqual(await sendMany(tenant, 20), { accepted: 4, codes: new Set(['PLAN_BUDGET_EXCEEDED']) });
    assertError(await send(gateway, tenant, templateTo(freshRecipient())), 403, 'PLAN_BUDGET_EXCEEDED', 131042);
    await sendTemplate(gateway, tenant, freshRecipient(), 'greeting');
    assertError(await send(gateway, tenant, templateTo(freshRecipient(), 'greeting')), 403, 'PLAN_BUDGET_EXCEEDED');
    assert.equal((await usageOf(tenant)).spent, 0.3);
  });

  it("returns a failed message's price to the budget, but not its place in the limit", async () => {
    const tenant = await withPlan({ monthly_budget: 0.06, monthly_message_limit: 2, prices: { marketing: 0.06 } });
    const to = freshRecipient();
    gateway.simulator.world.addFault({ fault: { kind: 'error', code: 131026 }, scope: { recipient: to.slice(1) } });
    await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, to), 'failed');
    assert.partialDeepStrictEqual(await usageOf(tenant), { accepted: 1, failed: 1, spent: 0 });
    await sendTemplate(gateway, tenant, freshRecipient());
    assertError(await send(gateway, tenant, templateTo(freshRecipient())), 403, 'PLAN_MESSAGE_LIMIT_REACHED');
  });
});

describe('the plan of an organization with several nodes', () => {
  it('accepts exactly what the budget allows if nodes wait for each other', async (t) => {
    const first = await startGateway({ isOneOfSeveral: true });
    t.after(() => first.stop());
    const tenant = await createTenant(first);
    const { organizationId } = tenant;
    const plan = { monthly_budget: 0.3, prices: { marketing: 0.07 } };
    await admin(first, 'PUT', `/organizations/${organizationId}/plan`, plan);
    const second = await startFurtherNode(first);
    t.after(() => second.stop());
    await sendTemplate(second, tenant, freshRecipient());
    const { db } = first.app;

    const sending = await db.transaction(async (tx) => {
      await tx.query({
        text: "SELECT FROM usage_counter WHERE organization_id = $1 AND metric = 'accepted' FOR UPDATE",
        values: [organizationId],
      });
      const answers = [first, second].flatMap((node) =>
        Array.from({ length: 3 }, () => send(node, tenant, templateTo(freshRecipient()))),
      );
      await untilWaiting(db, 2);
      return answers;
    });
    const statuses = (await Promise.all(sending)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 202).length, 3);
    const usage = await admin<{ accepted: number }>(first, 'GET', `/organizations/${organizationId}/usage`);
    assert.partialDeepStrictEqual(usage, { accepted: 4, spent: 0.28 });
  });
});
