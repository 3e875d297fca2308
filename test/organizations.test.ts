import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { systemClock } from '../src/core/clock.ts';
import { AppError } from '../src/core/errors.ts';
import { newId } from '../src/core/ids.ts';
import { createChangeFeed } from '../src/database/change-feed.ts';
import { requireAdminToken } from '../src/http/index.ts';
import {
  changeOrganization,
  createApiKey,
  createKeyring,
  createOrganization,
  createOrganizationSettings,
  createPlans,
  disableApiKey,
  getUsage,
  organizationRoutes,
  type Plan,
  putPlan,
  UNLIMITED_PLAN,
} from '../src/organizations/index.ts';
import { createBareServer } from './harness/bare-server.ts';
import { openFollowedDatabase } from './harness/followed-database.ts';

const clock = systemClock;
const unknownId = newId();

const { db, changes } = await openFollowedDatabase({ after });

const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected;

/** What a call answers with when it is refused, be it at once or later. */
async function refusalOf(call: () => unknown): Promise<AppError> {
  try {
    await call();
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error;
  }
  assert.fail('was not refused');
}

test('an API key leads to its own organization, at once when it is remembered', async () => {
  const [one, two] = [
    await createOrganization({ db, clock }, { name: 'one' }),
    await createOrganization({ db, clock }, { name: 'two' }),
  ];
  const keys = [
    await createApiKey({ db, clock }, one.id, { name: 'shop' }),
    await createApiKey({ db, clock }, two.id, {}),
  ];
  assert.equal(keys[0]?.name, 'shop');
  assert.equal(keys[1]?.name, null);
  // The keys are news to whoever follows changes: a look-up meanwhile would not be remembered.
  await changes.catchUp();
  const keyring = createKeyring({ db, changes });
  for (const [index, organization] of [one, two].entries()) {
    const found = await keyring.authenticate(`Bearer ${keys[index]?.key}`);
    assert.equal(found.organizationId, organization.id);
    assert.equal(found.apiKeyId, keys[index]?.id);
    assert.ok(Number.isInteger(found.keyNumber));
    assert.equal(keyring.authenticate(`bearer  ${keys[index]?.key}`), found);
  }
});

test('a missing, malformed, unknown or disabled API key and a foreign scheme are refused in the same words', async () => {
  const organization = await createOrganization({ db, clock }, { name: 'keys' });
  const disabled = await createApiKey({ db, clock }, organization.id, {});
  await disableApiKey({ db, clock }, disabled.id);
  const { key } = await createApiKey({ db, clock }, organization.id, {});
  await db.query({ text: 'DELETE FROM api_key WHERE id <> $1', values: [disabled.id] });
  const keyring = createKeyring({ db, changes });
  const headers = [
    undefined,
    '',
    'Bearer',
    'Bearer x',
    `Bearer ${disabled.key}`,
    `Bearer ${key}`,
    `Basic ${disabled.key}`,
  ];
  const answers = new Set<string>();
  for (const header of [...headers, ...headers]) {
    const refusal = await refusalOf(() => keyring.authenticate(header));
    assert.equal(refusal.code, 'UNAUTHORIZED');
    answers.add(JSON.stringify([refusal.code, refusal.message, refusal.details]));
  }
  assert.equal(answers.size, 1);
});

test('only the hash of an API key is stored', async () => {
  const organization = await createOrganization({ db, clock }, { name: 'secret' });
  const { key } = await createApiKey({ db, clock }, organization.id, {});
  const rows = await db.query<{ text: string }>({ text: 'SELECT api_key::text AS text FROM api_key' });
  const feed = await db.query<{ text: string }>({ text: 'SELECT change_feed::text AS text FROM change_feed' });
  for (const { text } of [...rows, ...feed]) assert.ok(!text.includes(key.slice(12)));
});

test('a disabled API key is forgotten by a node that remembered it, and disabling it again is accepted', async () => {
  const organization = await createOrganization({ db, clock }, { name: 'disable' });
  const apiKey = await createApiKey({ db, clock }, organization.id, {});
  const keyring = createKeyring({ db, changes });
  await keyring.authenticate(`Bearer ${apiKey.key}`);
  await disableApiKey({ db, clock }, apiKey.id);
  await changes.catchUp();
  const refusal = await refusalOf(() => keyring.authenticate(`Bearer ${apiKey.key}`));
  assert.equal(refusal.code, 'UNAUTHORIZED');
  await disableApiKey({ db, clock }, apiKey.id);
});

test('a key that was disabled while the process stood still is refused to the first who comes with it', async (t) => {
  let stoodMs = 0;
  const halting = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + stoodMs };
  const feed = createChangeFeed({ db, clock: halting, log: pino({ level: 'silent' }), pollMs: 60_000 });
  await feed.start();
  t.after(() => feed.stop());
  const organization = await createOrganization({ db, clock }, { name: 'halted' });
  const [disabled, kept] = [
    await createApiKey({ db, clock }, organization.id, {}),
    await createApiKey({ db, clock }, organization.id, {}),
  ];
  const keyring = createKeyring({ db, changes: feed });
  await keyring.authenticate(`Bearer ${disabled.key}`);
  await disableApiKey({ db, clock }, disabled.id);
  stoodMs = 1_000;
  const refusal = await refusalOf(() => keyring.authenticate(`Bearer ${disabled.key}`));
  assert.equal(refusal.code, 'UNAUTHORIZED');
  await keyring.authenticate(`Bearer ${kept.key}`);
  const heard = keyring.changesHeard;
  stoodMs = 2_000;
  assert.notEqual(keyring.changesHeard, heard, 'who was let in before is looked at again');
});

test('an id that names no organization or key is NOT_FOUND, whether it could name one or not', async () => {
  const deps = { db, clock };
  for (const id of [unknownId, 'nonsense', "'; --"]) {
    await assert.rejects(createApiKey(deps, id, {}), code('NOT_FOUND'));
    await assert.rejects(disableApiKey(deps, id), code('NOT_FOUND'));
    await assert.rejects(putPlan(deps, id, {}), code('NOT_FOUND'));
    await assert.rejects(getUsage(deps, id), code('NOT_FOUND'));
    await assert.rejects(changeOrganization(deps, id, { name: 'x' }), code('NOT_FOUND'));
  }
});

test('an organization without a plan has the unlimited one, and a changed plan reaches a node that remembered the old', async () => {
  const organization = await createOrganization({ db, clock }, { name: 'plans' });
  const plans = createPlans({ db, changes });
  assert.deepEqual(await plans.get(organization.id), UNLIMITED_PLAN);
  const starter = await putPlan({ db, clock }, organization.id, {
    name: 'starter',
    monthlyMessageLimit: 1_000,
    messageTypes: new Set(['template', 'text']),
    templateCategories: new Set(['UTILITY']),
    monthlyBudgetMicros: 12_500_000,
    priceMicros: { utility: 15_000 },
  });
  await changes.catchUp();
  const expected: Plan = {
    name: 'starter',
    active: true,
    monthlyMessageLimit: 1_000,
    messageTypes: new Set(['template', 'text']),
    templateCategories: new Set(['UTILITY']),
    monthlyBudgetMicros: 12_500_000,
    requestsPerSecond: null,
    keyRequestsPerSecond: null,
    queueMax: null,
    priceMicros: { utility: 15_000 },
  };
  assert.deepEqual(starter, expected);
  assert.deepEqual(await plans.get(organization.id), expected);
  await putPlan({ db, clock }, organization.id, { active: false, messageTypes: null });
  assert.deepEqual(await createPlans({ db, changes }).get(organization.id), {
    ...expected,
    active: false,
    messageTypes: null,
  });
});

test('two changes of one plan at once lose none of their fields', async () => {
  const organization = await createOrganization({ db, clock }, { name: 'race' });
  await Promise.all([
    putPlan({ db, clock }, organization.id, { monthlyMessageLimit: 5 }),
    putPlan({ db, clock }, organization.id, { monthlyBudgetMicros: 6 }),
    putPlan({ db, clock }, organization.id, { name: 'raced' }),
  ]);
  const plan = await createPlans({ db, changes }).get(organization.id);
  assert.deepEqual([plan.name, plan.monthlyMessageLimit, plan.monthlyBudgetMicros], ['raced', 5, 6]);
});

test('settings have their defaults, change one by one, and reach a node that remembered them', async () => {
  const settings = createOrganizationSettings({ db, changes });
  const organization = await createOrganization({ db, clock }, { name: 'settings', weight: 2.5 });
  assert.deepEqual(await settings.get(organization.id), {
    weight: 2.5,
    unknownOutcomePolicy: 'resend',
    messageTtlMs: 86_400_000,
  });
  const change = { unknownOutcomePolicy: 'fail', messageTtlSeconds: 60 } as const;
  await changeOrganization({ db }, organization.id.toUpperCase(), change);
  await changes.catchUp();
  assert.deepEqual(await settings.get(organization.id), {
    weight: 2.5,
    unknownOutcomePolicy: 'fail',
    messageTtlMs: 60_000,
  });
  const refusal = await refusalOf(() => settings.get(unknownId));
  assert.equal(refusal.code, 'NOT_FOUND');
});

test("usage is the organization's own and the month's own", async () => {
  const mine = await createOrganization({ db, clock }, { name: 'mine' });
  const other = await createOrganization({ db, clock }, { name: 'other' });
  await db.query({
    text: `
      INSERT INTO usage_counter (organization_id, month, metric, value)
      VALUES ($1, '2026-07-01', 'accepted', 3), ($1, '2026-08-01', 'accepted', 5), ($1, '2026-08-01', 'category:utility', 4),
        ($2, '2026-08-01', 'accepted', 100)`,
    values: [mine.id, other.id],
  });
  const usage = await getUsage({ db, clock }, mine.id, '2026-08');
  assert.deepEqual([usage.month, usage.accepted, usage.byCategory], ['2026-08', 5, { utility: 4 }]);
  assert.equal((await getUsage({ db, clock }, mine.id)).month, new Date().toISOString().slice(0, 7));
  for (const month of ['2026-13', '2026-8', 'august', '0000-01', '2026-08-01']) {
    await assert.rejects(getUsage({ db, clock }, mine.id, month), code('VALIDATION_ERROR'), month);
  }
});

async function createAdmin() {
  const app = await createBareServer();
  await app.register(async (admin) => {
    admin.addHook('onRequest', requireAdminToken('operator'));
    organizationRoutes(admin, { db, clock });
  });
  return async (method: 'POST' | 'PUT' | 'PATCH' | 'GET' | 'DELETE', path: string, body?: object) => {
    const answer = await app.inject({
      method,
      url: `/admin/v1${path}`,
      headers: { authorization: 'Bearer operator', 'content-type': 'application/json' },
      ...(body && { payload: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
  };
}

test('the admin API provisions an organization, its key and its plan as the operator contract says', async () => {
  const admin = await createAdmin();
  const created = await admin('POST', '/organizations', { name: 'Example Ltd', weight: 3 });
  assert.equal(created.status, 201);
  const { id, created_at, ...rest } = created.body;
  assert.deepEqual(rest, {
    name: 'Example Ltd',
    weight: 3,
    unknown_outcome_policy: 'resend',
    message_ttl_seconds: 86400,
  });
  assert.ok(Date.parse(created_at) > 0);
  const patched = await admin('PATCH', `/organizations/${id}`, { message_ttl_seconds: 60 });
  assert.deepEqual(patched, { status: 200, body: { ...created.body, message_ttl_seconds: 60 } });

  const key = await admin('POST', `/organizations/${id}/api-keys`, { name: 'shop' });
  assert.equal(key.status, 201);
  assert.deepEqual(Object.keys(key.body), ['id', 'key', 'name', 'created_at']);
  assert.equal((await admin('DELETE', `/api-keys/${key.body.id}`)).status, 204);

  const plan = {
    name: 'starter',
    active: true,
    monthly_message_limit: 1_000,
    message_types: ['text'],
    template_categories: ['UTILITY'],
    monthly_budget: 12.345678,
    requests_per_second: 50,
    key_requests_per_second: null,
    queue_max: 100_000,
  };
  assert.deepEqual(await admin('PUT', `/organizations/${id}/plan`, { ...plan, template_categories: ['utility'] }), {
    status: 200,
    body: { ...plan, prices: null },
  });
  const lifted = await admin('PUT', `/organizations/${id}/plan`, { monthly_budget: null, prices: { service: 0.005 } });
  assert.deepEqual(lifted.body, { ...plan, monthly_budget: null, prices: { service: 0.005 } });
  const unpriced = await admin('PUT', `/organizations/${id}/plan`, { prices: null });
  assert.deepEqual(unpriced, { status: 200, body: { ...lifted.body, prices: null } });

  const usage = await admin('GET', `/organizations/${id}/usage?month=2026-08`);
  assert.deepEqual(usage, {
    status: 200,
    body: {
      month: '2026-08',
      accepted: 0,
      sent: 0,
      delivered: 0,
      failed: 0,
      by_category: {},
      by_pricing: {},
      spent: 0,
    },
  });
});

test('the admin API refuses bad fields by name and stores nothing of them', async () => {
  const admin = await createAdmin();
  const { body: organization } = await admin('POST', '/organizations', { name: 'strict' });
  const plan = `/organizations/${organization.id}/plan`;
  const bad: ['POST' | 'PUT' | 'PATCH', string, object, RegExp][] = [
    ['POST', '/organizations', {}, /name/],
    ['POST', '/organizations', { name: '' }, /name/],
    ['POST', '/organizations', { name: 'a\u0000b' }, /name/],
    ['POST', '/organizations', { name: 'x', weight: 0 }, /weight/],
    // The fair order counts turns by their length, which is one by the weight: beside one of 1e20 others are next to nothing.
    ['POST', '/organizations', { name: 'x', weight: 1e-20 }, /weight/],
    ['POST', '/organizations', { name: 'x', weight: 1e-300 }, /weight/],
    ['PATCH', `/organizations/${organization.id}`, { unknown_outcome_policy: 'pray' }, /unknown_outcome_policy/],
    ['PATCH', `/organizations/${organization.id}`, { message_ttl_seconds: 1.5 }, /message_ttl_seconds/],
    ['PUT', plan, { monthly_message_limit: -1 }, /monthly_message_limit.* >= 0/],
    ['PUT', plan, { message_types: ['fax'] }, /message_types/],
    ['PUT', plan, { template_categories: 'UTILITY' }, /template_categories/],
    ['PUT', plan, { monthly_budget: '12' }, /monthly_budget/],
    ['PUT', plan, { active: null }, /active/],
    ['PUT', plan, { prices: { service: -1 } }, /prices\.service/],
  ];
  for (const [method, path, body, message] of bad) {
    const answer = await admin(method, path, body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.equal(answer.body.code, 'VALIDATION_ERROR');
    assert.match(answer.body.message, message);
  }
  assert.deepEqual(await createPlans({ db, changes }).get(organization.id), UNLIMITED_PLAN);
});
