import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followAccountChanges } from '../src/accounts/index.ts';
import { upsertNumbers, upsertWaba } from '../src/accounts/queries.ts';
import { systemClock } from '../src/core/clock.ts';
import { newId } from '../src/core/ids.ts';
import type { Queryable } from '../src/database/database.ts';
import { preparePartitions } from '../src/maintenance.ts';
import { openTestDatabase } from './harness/database.ts';

test('many changes told at once take no more statements than a few', async (t) => {
  const db = await openTestDatabase(t);
  await preparePartitions({ db, clock: systemClock });
  const now = new Date();
  const organizationId = newId();
  await db.query({
    text: "INSERT INTO organization (id, name, created_at) VALUES ($1, 'o', now())",
    values: [organizationId],
  });
  const numbers = Array.from({ length: 1_000 }, (_, index) => ({
    id: String(5_000_000 + index),
    accountId: newId(),
    displayPhoneNumber: `+1555${1_000_000 + index}`,
    verifiedName: 'One',
    status: 'CONNECTED',
    platformType: 'CLOUD_API',
    qualityRating: 'GREEN',
    throughputLevel: 'STANDARD',
    isOnBizApp: false,
  }));
  await upsertWaba(db, organizationId, '77', Buffer.from('sealed'), 'graph.example.com', now);
  await upsertNumbers(db, organizationId, '77', numbers, now);

  const changes = numbers.map(({ displayPhoneNumber: display_phone_number }) => ({
    id: newId(),
    wabaId: '77',
    field: 'phone_number_quality_update',
    atMs: now.getTime(),
    value: { display_phone_number, event: 'THROUGHPUT_UPGRADE', current_limit: 'TIER_10K' },
    raw: '{}',
    rawOf: () => undefined,
  }));
  let statements = 0;
  await db.transaction(async (tx) => {
    const counted: Queryable = {
      async query(statement) {
        statements += 1;
        return await tx.query(statement);
      },
    };
    await followAccountChanges(counted, changes, now.getTime());
  });
  assert.ok(statements < 20, `${statements} statements for ${changes.length} changes`);
  const [stored] = await db.query({
    text: `
      SELECT count(*)::int AS numbers, (SELECT count(*)::int FROM event) AS events FROM sending_number
      WHERE throughput_level = 'HIGH' AND messaging_limit = 'TIER_10K'`,
  });
  assert.deepEqual(stored, { numbers: 1_000, events: 1_000 });
});
