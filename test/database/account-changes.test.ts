import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { disconnectWaba } from '../../src/accounts/connect/disconnect-waba.ts';
import { accountFollower, findNamedNumbers, listOwnedChanges, syncWaba } from '../../src/accounts/index.ts';
import { upsertNumbers, upsertWaba } from '../../src/accounts/queries.ts';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import type { Queryable } from '../../src/database/database.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { banOf, changeOf, openAccountsDatabase } from '../harness/connected-accounts.ts';
import { openTestDatabase } from '../harness/database.ts';
import { untilWaiting } from '../harness/lock-waits.ts';
import { listTemplateRows, numberNode } from '../harness/upstream-waba.ts';

const { db, connect, tell } = await openAccountsDatabase({ after });

test('account changes: many at once → a bounded number of statements', async (t) => {
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
    webhookOverride: null,
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
    await accountFollower.follow(counted, changes, now.getTime());
  });
  assert.ok(statements < 20, `${statements} statements for ${changes.length} changes`);
  const [stored] = await db.query({
    text: `
      SELECT count(*)::int AS numbers, (SELECT count(*)::int FROM event) AS events FROM sending_number
      WHERE throughput_level = 'HIGH' AND messaging_limit = 'TIER_10K'`,
  });
  assert.deepEqual(stored, { numbers: 1_000, events: 1_000 });
});

test('a change of a number: named by its digits → applies to the present owner of the digits', async () => {
  const [removed, added] = [numberNode(), numberNode()];
  const { state, deps, wabaId, organizationId } = await connect('added again', { numbers: [removed] });
  state.numbers = [added];
  await syncWaba(deps, wabaId);
  const value = { display_phone_number: added.displayPhoneNumber, event: 'THROUGHPUT_UPGRADE' };
  await tell(changeOf(wabaId, 'phone_number_quality_update', value));
  const numbers = await db.query<{ id: number; phoneNumberId: string; level: string }>({
    text: `
      SELECT number_id AS id, phone_number_id AS "phoneNumberId", throughput_level AS level
      FROM sending_number WHERE organization_id = $1 ORDER BY number_id`,
    values: [organizationId],
  });
  assert.deepEqual(
    numbers.map((number) => [number.phoneNumberId, number.level]),
    [
      [removed.id, 'STANDARD'],
      [added.id, 'HIGH'],
    ],
  );
  const phoneNumber = added.displayPhoneNumber.replace(/\D/g, '');
  const named = [{ organizationId, wabaId, phoneNumberId: undefined, phoneNumber }];
  assert.deepEqual(await db.transaction((tx) => findNamedNumbers(tx, named)), [numbers[1]?.id]);
});

describe('account changes', () => {
  const limit = (wabaId: string) =>
    changeOf(wabaId, 'business_capability_update', { max_daily_conversations_per_business: 2000 });

  it('two at once, in either order → no deadlock', async () => {
    const [one, other] = [await connect('one'), await connect('other')];
    for (let round = 0; round < 5; round += 1) {
      const told = [
        [limit(one.wabaId), banOf(one.wabaId), banOf(other.wabaId)],
        [banOf(other.wabaId), banOf(one.wabaId), limit(one.wabaId)],
      ];
      const meet = Promise.withResolvers<void>();
      let arrived = 0;
      await Promise.all(
        told.map((changes) =>
          db.transaction(async (tx) => {
            arrived += 1;
            if (arrived === told.length) meet.resolve();
            await meet.promise;
            await accountFollower.follow(tx, await listOwnedChanges(tx, changes), Date.now());
          }),
        ),
      );
    }
  });

  it('a disconnect waits for a change in progress → applied before it, not after', async () => {
    const { deps, organizationId, wabaId } = await connect('leaving');
    const following = await db.transaction(async (tx) => {
      const owned = await listOwnedChanges(tx, [limit(wabaId), banOf(wabaId)]);
      const disconnecting = disconnectWaba(deps, wabaId);
      await untilWaiting(db);
      await accountFollower.follow(tx, owned, Date.now());
      return { disconnecting };
    });
    await following.disconnecting;
    assert.deepEqual(await listTemplateRows(db, organizationId), []);
    assert.deepEqual(await db.transaction((tx) => listOwnedChanges(tx, [limit(wabaId)])), []);
  });
});
