import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import { eraseStep } from '../../src/erasure/erase-person.ts';
import { findErasure, insertErasure } from '../../src/erasure/queries.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { openTestDatabase } from '../harness/database.ts';
import { dyingDatabase } from '../harness/dying-database.ts';
import { createManualClock } from '../harness/manual-clock.ts';

const ORGANIZATION = '0199c0de-0000-7000-8000-000000000001';
const NEIGHBOUR = '0199c0de-0000-7000-8000-000000000002';
const PERSON = '12025550123';
const MESSAGES = 1_200;

const db = await openTestDatabase({ after });

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
