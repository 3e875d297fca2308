import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { AppError } from '../../src/core/errors.ts';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { createChangeFeed } from '../../src/database/changes/change-feed.ts';
import {
  changeOrganization,
  createApiKey,
  createKeyring,
  createOrganization,
  createOrganizationSettings,
  createPlans,
  disableApiKey,
  putPlan,
} from '../../src/organizations/index.ts';
import { openFollowedDatabase } from '../harness/followed-database.ts';

const clock = systemClock;

const { db, changes } = await openFollowedDatabase({ after });

const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected;

const DEFAULTS = {
  directSend: false,
  phoneNumbers: 'upstream',
  toWithoutPlus: false,
  marketingMessages: 'auto',
  contactsAsText: false,
  cloudApiCredentials: false,
  optOutWords: [],
  retention: {},
  keepBodies: 'until_expiry',
  hasOptOuts: false,
};
const bearer = (key = '') => ({ scheme: 'bearer', key }) as const;

test('an API key: leads to its organization, without a query if cached', async () => {
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
  // The change feed publishes the new keys; a look-up before that would not be cached.
  await changes.catchUp();
  const keyring = createKeyring({ db, changes, clock });
  for (const [index, organization] of [one, two].entries()) {
    const found = await keyring.authenticate(bearer(keys[index]?.key));
    assert.equal(found.organizationId, organization.id);
    assert.equal(found.apiKeyId, keys[index]?.id);
    assert.ok(Number.isInteger(found.keyNumber));
    assert.equal(keyring.authenticate(bearer(keys[index]?.key)), found);
  }
});

test('a key disabled while the process was suspended: refused to the first caller', async (t) => {
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
  const keyring = createKeyring({ db, changes: feed, clock });
  await keyring.authenticate(bearer(disabled.key));
  await disableApiKey({ db, clock }, disabled.id);
  stoodMs = 1_000;
  await assert.rejects(async () => keyring.authenticate(bearer(disabled.key)), code('UNAUTHORIZED'));
  await keyring.authenticate(bearer(kept.key));
  const heard = keyring.changesHeard;
  stoodMs = 2_000;
  assert.notEqual(keyring.changesHeard, heard, 'who was let in before is looked at again');
});

test('two changes of one plan at once: no field is lost', async () => {
  const organization = await createOrganization({ db, clock }, { name: 'race' });
  await Promise.all([
    putPlan({ db, clock }, organization.id, { monthlyMessageLimit: 5 }),
    putPlan({ db, clock }, organization.id, { monthlyBudgetMicros: 6 }),
    putPlan({ db, clock }, organization.id, { name: 'raced' }),
  ]);
  const plan = await createPlans({ db, changes }).get(organization.id);
  assert.deepEqual([plan.name, plan.monthlyMessageLimit, plan.monthlyBudgetMicros], ['raced', 5, 6]);
});

test('settings: have defaults, change one by one, and reach a node that cached them', async () => {
  const settings = createOrganizationSettings({ db, changes });
  const organization = await createOrganization({ db, clock }, { name: 'settings', weight: 2.5 });
  assert.deepEqual(await settings.get(organization.id), {
    weight: 2.5,
    unknownOutcomePolicy: 'resend',
    ...DEFAULTS,
    messageTtlMs: 86_400_000,
  });
  const change = { unknownOutcomePolicy: 'fail', messageTtlSeconds: 60 } as const;
  await changeOrganization({ db }, organization.id.toUpperCase(), change);
  await changes.catchUp();
  assert.deepEqual(await settings.get(organization.id), {
    weight: 2.5,
    unknownOutcomePolicy: 'fail',
    ...DEFAULTS,
    messageTtlMs: 60_000,
  });
  await assert.rejects(async () => settings.get(newId()), code('NOT_FOUND'));
});
