import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import { eraseStep } from '../../src/erasure/erase-person.ts';
import { Erasures } from '../../src/erasure/erasures.ts';
import { findErasure, insertErasure } from '../../src/erasure/queries.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { claimDue, findOnboarding, insertOnboarding, storeProgress } from '../../src/onboarding/queries.ts';
import { freshSteps } from '../../src/onboarding/steps.ts';
import { openTestDatabase } from '../harness/database.ts';
import { dyingDatabase } from '../harness/dying-database.ts';
import { createManualClock } from '../harness/manual-clock.ts';

const ORGANIZATION = '0199c0de-0000-7000-8000-000000000001';
const NEIGHBOUR = '0199c0de-0000-7000-8000-000000000002';
const PERSON = '12025550123';
const MESSAGES = 1_200;

const db = await openTestDatabase({ after });
const newErasure = (organizationId: string, nowMs: number, requestedAt = new Date(nowMs)) => ({
  ...{ organizationId, id: newId(nowMs), requestedAt },
  ...{ names: [PERSON], contacts: [PERSON], keys: [PERSON] },
});

test('an erasure whose process dies in every second step: erases each message once, and no other', async () => {
  const clock = createManualClock(Date.now());
  await preparePartitions({ db, clock });
  const nowMs = clock.now();
  for (const [organizationId, contact] of [
    [ORGANIZATION, PERSON],
    [ORGANIZATION, '12025550124'],
    [NEIGHBOUR, PERSON],
  ] as const) {
    await db.query({
      text: `INSERT INTO organization (id, name, created_at) VALUES ($1, 'test', now()) ON CONFLICT DO NOTHING`,
      values: [organizationId],
    });
    await db.query({
      text: `
        INSERT INTO message (organization_id, id, number_id, direction, contact, type, body, status, accepted_at, price_micros)
        SELECT $1, id, 1, 0, $2, 'text', '{"text":{"body":"planted"}}', 3, now(), 5 FROM unnest($3::uuid[]) id`,
      values: [organizationId, contact, Array.from({ length: MESSAGES }, () => newId(nowMs - 1_000))],
    });
  }
  const id = newId(nowMs);
  await insertErasure(db, {
    organizationId: ORGANIZATION,
    id,
    names: [PERSON],
    contacts: [PERSON],
    keys: [PERSON],
    requestedAt: new Date(nowMs),
  });
  const deps = { db: dyingDatabase(db), clock, cancelWaiting: async () => {} };
  const job = { organizationId: ORGANIZATION, id, phase: 'messages' as const, names: [PERSON] };
  let killed = 0;
  for (let result = 'more'; result === 'more'; ) {
    result = await eraseStep(deps, job).catch(() => {
      killed += 1;
      return 'more';
    });
  }
  assert.ok(killed > 3);
  const receipt = await findErasure(db, ORGANIZATION, id);
  assert.deepEqual([receipt?.phase, receipt?.messages, receipt?.names, receipt?.contacts], ['done', MESSAGES, [], []]);
  const left = await db.query({
    text: `
      SELECT organization_id AS "organizationId", contact::text, body = '{}' AS erased, count(*)::int, sum(price_micros)::int AS price
      FROM message GROUP BY 1, 2, 3 ORDER BY 1, 2`,
  });
  const rest = { count: MESSAGES, price: 5 * MESSAGES };
  assert.deepEqual(left, [
    { organizationId: ORGANIZATION, contact: '12025550124', erased: false, ...rest },
    { organizationId: ORGANIZATION, contact: null, erased: true, ...rest },
    { organizationId: NEIGHBOUR, contact: PERSON, erased: false, ...rest },
  ]);
});

test('a test recipient whose onboarding a node works on → erased, not written back', async () => {
  const clock = createManualClock(Date.now());
  const nowMs = clock.now();
  const created = { organizationId: ORGANIZATION, id: newId(nowMs), createdAt: new Date(nowMs) };
  const template = { templateName: 'hello_world', templateLanguage: 'en_US' };
  const none = {
    setupLinkId: null,
    tokenSealed: null,
    pinSealed: null,
    appId: null,
    wabaId: null,
    phoneNumberId: null,
  };
  const fresh = { replaceCallback: false, messageId: null, attempt: 1, epoch: 0, isClaimed: false };
  const begun = { ...created, updatedAt: created.createdAt, ...template, ...none, ...fresh, steps: freshSteps() };
  await insertOnboarding(db, { ...begun, state: 'running', testRecipient: `+${PERSON}` }, 0);
  const [claimed] = await claimDue(db, 1);
  assert.ok(claimed);
  const erasure = newErasure(ORGANIZATION, nowMs);
  await insertErasure(db, erasure);
  const deps = { db, clock, cancelWaiting: async () => {} };
  while ((await eraseStep(deps, { ...erasure, phase: 'messages' })) === 'more');
  assert.equal((await findErasure(db, ORGANIZATION, erasure.id))?.phase, 'done');

  assert.equal(await storeProgress(db, claimed, new Date(nowMs)), false);
  const stored = await findOnboarding(db, ORGANIZATION, claimed.id);
  assert.deepEqual([stored?.testRecipient, stored?.isClaimed], [null, false]);
  const [again] = await claimDue(db, 1);
  assert.deepEqual([again?.id, again?.testRecipient], [claimed.id, null]);
});

test('an erasure that fails each time → those of other organizations go on', async () => {
  const clock = createManualClock(Date.now());
  const nowMs = clock.now();
  const failing = newErasure(ORGANIZATION, nowMs, new Date(nowMs - 60_000));
  const other = newErasure(NEIGHBOUR, nowMs);
  await insertErasure(db, failing);
  await insertErasure(db, other);
  const warned = Promise.withResolvers<object>();
  const ended = Promise.withResolvers<void>();
  const cancelWaiting = async (organizationId: string) => {
    if (organizationId === ORGANIZATION) throw new Error('planted');
    ended.resolve();
  };
  const log = { warn: (facts: object) => warned.resolve(facts) } as never;
  const erasures = new Erasures({ db, clock, log, cancelWaiting, changes: { follow: () => {} } });
  erasures.start();
  clock.advance(0);
  await ended.promise;
  const { err, ...facts } = (await warned.promise) as { err: Error };
  assert.deepEqual(facts, { organizationId: ORGANIZATION, erasureId: failing.id });
  assert.match(String(err), /planted/);
  await erasures.stop();
  assert.equal((await findErasure(db, ORGANIZATION, failing.id))?.phase, 'waiting');
});
