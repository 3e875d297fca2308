import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { countryOf } from '../../../src/core/country.ts';
import { assertError } from '../../harness/assert-error.ts';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import {
  admin,
  askAdmin,
  call,
  createTenant,
  issueKey,
  readMessage,
  send,
  sendNow,
  type Tenant,
  templateTo,
  textTo,
  until,
  writtenRecipient,
} from '../../harness/tenant.ts';
import { postChange, statusOf } from '../../harness/upstream-webhook.ts';

/** Prices in millionths, apart from those of the product: `category country`. */
const CARD: Record<string, number> = {
  'marketing US': 25_001,
  'marketing *': 60_407,
  'utility DE': 45_678,
  'authentication_international IN': 2_303,
  'service *': 4_001,
};
const PLAN: Record<string, number> = { utility: 11_111, authentication: 22_222 };
const priceOf = (category: string, country: string | undefined): number => {
  const key = category.replace('-', '_');
  const found = CARD[`${key} ${country}`] ?? CARD[`${key} *`] ?? PLAN[key];
  return found ?? priceOf('marketing', country);
};

interface Group {
  messages: number;
  charged_micros: number;
  [dimension: string]: string | number | null;
}

describe('charges of messages', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  let other: Tenant;
  before(async () => {
    gateway = await startGateway({ simulator: { limits: 'off', freeServiceMessages: 3 } });
    tenant = await createTenant(gateway, { number: { throughputLevel: 'HIGH' } });
    other = await createTenant(gateway);
    const path = `/organizations/${tenant.organizationId}`;
    const prices = Object.fromEntries(Object.entries(PLAN).map(([category, micros]) => [category, micros / 1e6]));
    await admin(gateway, 'PUT', `${path}/plan`, { prices });
    const lines = Object.entries(CARD).map(([key, micros]) => [...key.split(' '), micros / 1e6].join(','));
    const stored = await call(
      gateway,
      { apiKey: gateway.adminToken },
      'PUT',
      `/admin/v1${path}/rates?valid_from=2026-01-01`,
      {
        body: ['category,country,price', ...lines].join('\n'),
        headers: { 'content-type': 'text/csv' },
      },
    );
    assert.equal(stored.status, 200, stored.text);
  });
  after(() => gateway.stop());

  const usage = async ({ organizationId }: Tenant, by: string) => {
    const answer = await askAdmin(gateway, 'GET', `/organizations/${organizationId}/usage?group_by=${by}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json as { groups: Group[]; spent: number };
  };
  const totalOf = (groups: Group[]) => groups.reduce((sum, group) => sum + group.charged_micros, 0);

  it("a month of messages: ledger → the sum of the platform's webhooks, in every grouping", async () => {
    const { id: keyId, key } = await issueKey(gateway, tenant);
    const keys = [tenant, { ...tenant, apiKey: key }] as const;
    const { world } = gateway.simulator;
    const chance = 0.3;
    for (const fault of [
      { kind: 'webhook_duplicated', copies: 3 },
      { kind: 'webhook_reordered' },
      { kind: 'priced', category: 'authentication-international' },
      { kind: 'priced', pricingType: 'free_entry_point' },
      { kind: 'priced', category: 'utility', pricingType: 'regular' },
      { kind: 'webhook_lost', status: 'sent' },
    ] as const) {
      world.addFault({ fault, scope: { phoneNumberId: tenant.phoneNumberId }, probability: chance });
    }
    const facts = new Map<string, { id: string; to: string; template: string | null; key: number }>();
    const sends = Array.from({ length: 120 }, (_, index) => {
      const [prefix] = ['+1202', '+4915', '+9198', '+5511'].slice(index % 4);
      const failing = { 7: '+15550102026', 11: '+15550103026', 13: '+15550108008' }[index % 17];
      const to = failing ?? `${prefix}${1_000_000 + index * 7}${prefix?.startsWith('+1') ? '' : '1'}`;
      const name = ['spring_sale', 'order_update', 'greeting', 'login_code'][index % 7] ?? null;
      return { to, name, key: index % 2, tag: `charge-${index}` };
    });
    for (const { to, name, key: place, tag } of sends) {
      const sender = keys[place] as Tenant;
      if (name === null) world.openWindow(tenant.phoneNumberId, to);
      if (name === null) await world.inbound({ phoneNumberId: tenant.phoneNumberId, from: to });
      const parameters = [{ type: 'text', text: 'A-1' }];
      const extra = name === 'order_update' ? { components: [{ type: 'body', parameters }] } : {};
      const body = name === null ? textTo(to) : templateTo(to, name, extra);
      const answer = await send(gateway, sender, { ...body, biz_opaque_callback_data: tag });
      assert.equal(answer.status, 202, answer.text);
      facts.set(tag, { id: answer.json.messages[0].id, to: to.slice(1), template: name, key: place });
    }
    await sendNow(gateway, other);
    await until('all have left', () => (world.sends.total >= sends.length ? true : undefined));
    await world.whenQuiet();
    world.clearFaults();

    // The sum: of each message, the pricing of the highest status, if it was delivered.
    interface Seen {
      pricing?: { rank: number; type: string; category: string };
      delivered: boolean;
      hasFailure: boolean;
    }
    const seen = new Map<string, Seen>();
    for (const delivery of world.deliveries()) {
      for (const { changes } of JSON.parse(String(delivery.body)).entry) {
        for (const status of changes[0].value.statuses ?? []) {
          const tag = status.biz_opaque_callback_data;
          if (tag === undefined) continue;
          const rank = ['failed', 'sent', 'delivered', 'read'].indexOf(status.status);
          const known = seen.get(tag) ?? { delivered: false, hasFailure: false };
          seen.set(tag, known);
          if (rank === 0) known.hasFailure = true;
          if (rank >= 2) known.delivered = true;
          if (status.pricing !== undefined && rank >= (known.pricing?.rank ?? 0))
            known.pricing = { rank, ...status.pricing };
        }
      }
    }
    // Of a delivery and a failure, the one that arrives first decides. Webhooks are posted in parallel, so the gateway is asked.
    const failed = new Set<string>();
    for (const [tag, { hasFailure }] of seen) {
      const { id } = facts.get(tag) ?? assert.fail(tag);
      if (hasFailure && (await readMessage(gateway, tenant, id)).status === 'failed') failed.add(tag);
    }
    const expected = [...seen].flatMap(([tag, { pricing, delivered }]) => {
      const { to, template, key: place } = facts.get(tag) ?? assert.fail(tag);
      if (!delivered || failed.has(tag) || pricing === undefined) return [];
      const country = countryOf(to) ?? null;
      const micros = pricing.type.startsWith('free_') ? 0 : priceOf(pricing.category, country ?? undefined);
      const values = { template, country, category: pricing.category, pricing_type: pricing.type, key: place };
      return [{ ...values, number: tenant.phoneNumberId, micros }];
    });
    const kinds = new Set(expected.map(({ pricing_type, category }) => `${pricing_type} ${category}`));
    assert.ok(kinds.size >= 5 && expected.length > 80, `${expected.length} of ${[...kinds]}`);

    const keyIds = new Map([[keyId, 1]]);
    await until('all are charged', async () => {
      const { groups } = await usage(tenant, 'category');
      const messages = groups.reduce((sum, group) => sum + group.messages, 0);
      return messages >= expected.length || undefined;
    });
    const dimensions = ['template', 'country', 'category', 'pricing_type', 'number', 'api_key'] as const;
    for (const by of [...dimensions, 'country,category', dimensions.join(',')]) {
      const { groups } = await usage(tenant, by);
      const names = by.split(',');
      const label = (values: Record<string, unknown>) => names.map((name) => `${values[name]}`).join('|');
      const sums = new Map<string, [number, number]>();
      for (const { key: place, micros, ...values } of expected) {
        const [messages, money] = sums.get(label({ ...values, api_key: place })) ?? [0, 0];
        sums.set(label({ ...values, api_key: place }), [messages + 1, money + micros]);
      }
      const told = groups.map((group) => {
        const values = { ...group, api_key: keyIds.get(group.api_key as string) ?? 0 };
        return [label(values), [group.messages, group.charged_micros]] as const;
      });
      assert.deepEqual(new Map(told.toSorted()), new Map([...sums].toSorted()), by);
    }
    assert.equal(totalOf((await usage(other, 'country')).groups), 60_000);
  });

  it('statuses in any order, repeated, category moved → charged once, by the highest rank', async () => {
    const pricing = (type: string, category: string) => ({ pricing: { type, category, pricing_model: 'PMP' } });
    const at = Math.floor(Date.now() / 1000);
    const steps = {
      sent: ['sent', pricing('regular', 'utility')],
      delivered: ['delivered', pricing('regular', 'marketing')],
      free: ['delivered', pricing('free_entry_point', 'referral_conversion')],
      read: ['read', {}],
      failed: ['failed', { errors: [{ code: 131026 }] }],
    } as const;
    for (const [order, micros] of [
      [['sent', 'delivered', 'read', 'sent', 'delivered'], 60_000],
      [['read', 'delivered', 'sent', 'read'], 60_000],
      [['delivered', 'sent'], 60_000],
      [['sent', 'read'], 20_000],
      [['delivered', 'failed', 'read'], 60_000],
      [['sent', 'failed', 'delivered'], undefined],
      [['failed', 'sent', 'read'], undefined],
      [['sent'], undefined],
      [['sent', 'free', 'sent'], 0],
      [['read'], undefined],
    ] as const) {
      const silent = await createTenant(gateway);
      world().addFault({ fault: { kind: 'webhook_lost' }, scope: { phoneNumberId: silent.phoneNumberId } });
      const { wamid } = await sendNow(gateway, silent);
      for (const step of order) {
        const [status, extra] = steps[step];
        await postChange(gateway, silent, { statuses: [statusOf(wamid, status, at, extra)] });
      }
      const { groups, spent } = await usage(silent, 'country');
      const charged = groups.map((group) => [group.country, group.messages, group.charged_micros]);
      assert.deepEqual(charged, micros === undefined ? [] : [['US', 1, micros]], order.join(' '));
      const isFailed = order.some((step) => step === 'failed') && micros === undefined;
      assert.equal(spent, isFailed ? 0 : (micros ?? (order[0] === 'sent' ? 20_000 : 60_000)) / 1e6, order.join(' '));
    }
  });

  it('budget: free replies cost nothing, regular ones their price, once the platform says so', async () => {
    const owner = await createTenant(gateway);
    const path = `/organizations/${owner.organizationId}`;
    await admin(gateway, 'PUT', `${path}/plan`, { monthly_budget: 0.01, free_service_messages: 0 });
    const to = await writtenRecipient(gateway, owner);
    assert.equal((await send(gateway, owner, textTo(to))).status, 202);
    assertError(await send(gateway, owner, templateTo(to)), 403, 'PLAN_BUDGET_EXCEEDED');
    await until('the reply was free', async () => ((await usage(owner, 'country')).spent === 0 ? true : undefined));
    await admin(gateway, 'PUT', `${path}/plan`, { monthly_budget: null, free_service_messages: 3 });
    for (let sent = 0; sent < 3; sent += 1) assert.equal((await send(gateway, owner, textTo(to))).status, 202);
    const { spent } = await until('the fourth was regular', async () => {
      const found = await usage(owner, 'pricing_type');
      return found.groups.some((group) => group.pricing_type === 'regular') ? found : undefined;
    });
    assert.equal(spent, 0.01);
  });

  it('rate cards: replaced by day, listed newest first, deleted; one organization alone', async () => {
    const owner = await createTenant(gateway);
    const path = `/organizations/${owner.organizationId}/rates`;
    const rates = [{ category: 'marketing', country: 'us', price: '0.05' }];
    for (const valid_from of ['2026-10-01', '2026-10-01', '2026-07-01']) {
      assert.equal((await askAdmin(gateway, 'PUT', path, { valid_from, rates })).status, 200);
    }
    const rate = { category: 'marketing', country: 'US', price: 0.05 };
    const [october, july] = ['2026-10-01', '2026-07-01'].map((valid_from) => ({ valid_from, ...rate }));
    assert.deepEqual((await askAdmin(gateway, 'GET', path)).json.data, [october, july]);
    assert.equal((await askAdmin(gateway, 'DELETE', `${path}?valid_from=2026-10-01`)).status, 204);
    assert.deepEqual((await askAdmin(gateway, 'GET', path)).json.data, [july]);
    assert.deepEqual((await askAdmin(gateway, 'GET', `/organizations/${other.organizationId}/rates`)).json.data, []);
    assertError(await askAdmin(gateway, 'PUT', path, { valid_from: 'soon', rates }), 400, 'VALIDATION_ERROR');
    const unknown = '/organizations/0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30/rates';
    assertError(await askAdmin(gateway, 'PUT', unknown, { valid_from: '2026-10-01', rates }), 404, 'NOT_FOUND');
    assertError(
      await askAdmin(gateway, 'GET', `${path.replace('rates', 'usage')}?group_by=colour`),
      400,
      'VALIDATION_ERROR',
    );
  });

  const world = () => gateway.simulator.world;
});
