import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { newId } from '../src/core/ids.ts';
import { type HeldShard, holdLeases, LEASE_MS, releaseLeases } from '../src/dispatch/lease-queries.ts';
import { Leases } from '../src/dispatch/leases.ts';
import { openFollowedDatabase } from './harness/followed-database.ts';
import { createManualClock } from './harness/manual-clock.ts';

const [one, other] = [newId(), newId()];

const { db, close } = await openFollowedDatabase();
after(close);

/** Has these leases ended a while ago. */
async function expire(shards: number[]): Promise<void> {
  await db.query({
    text: "UPDATE shard_lease SET expires_at = now() - interval '1 minute' WHERE shard = ANY($1::smallint[])",
    values: [shards],
  });
}

const epochOf = async (owner: string, shard: number) => (await holdLeases(db, owner, [shard], false))[0]?.epoch;

test('a lease that has not ended is its own alone, and is renewed under its epoch', async () => {
  assert.deepEqual(await holdLeases(db, one, [1], false), [{ shard: 1, epoch: 1, quietMs: null }]);
  assert.deepEqual(await holdLeases(db, other, [1], false), []);
  const [renewed] = await holdLeases(db, one, [1], false);
  assert.equal(renewed?.epoch, 1);
  assert.ok((renewed?.quietMs ?? 0) < 0, 'it had not ended');
});

test('a lease that has ended is taken under a new epoch, be it by another or by the one who had it', async () => {
  assert.equal(await epochOf(one, 2), 1);
  await expire([2]);
  const [own] = await holdLeases(db, one, [2], false);
  assert.equal(own?.epoch, 2);
  assert.ok((own?.quietMs ?? 0) >= 60_000, 'it had ended a minute ago');
  await expire([2]);
  assert.equal(await epochOf(other, 2), 3);
  assert.equal(await epochOf(one, 2), undefined);
});

test('a lease given back is free at once, and one given back by who has it no more stays as it is', async () => {
  assert.equal(await epochOf(one, 3), 1);
  await releaseLeases(db, other, [3]);
  assert.equal(await epochOf(other, 3), undefined);
  await releaseLeases(db, one, [3]);
  assert.equal(await epochOf(other, 3), 2);
});

test('only a process that is alone takes what another has', async () => {
  assert.equal(await epochOf(one, 4), 1);
  const [seized] = await holdLeases(db, other, [4], true);
  assert.equal(seized?.epoch, 2);
  assert.ok((seized?.quietMs ?? 0) < 0, 'it had not ended');
});

test('a process that finds its own leases ended drops what it began and takes them as if they were new', async () => {
  const clock = createManualClock();
  const events: string[] = [];
  const again = Promise.withResolvers<HeldShard[]>();
  const leases = new Leases({
    db,
    clock,
    log: pino({ level: 'silent' }),
    nodeId: newId(),
    firstShard: 10,
    shardCount: 2,
    alone: false,
    listener: {
      async acquired(shards) {
        events.push(`acquired ${shards.map(({ shard, epoch }) => `${shard}/${epoch}`).sort()}`);
        if (events.length > 1) again.resolve(shards);
      },
      release: async () => {},
      lost: (shards) => void events.push(`lost ${shards.sort()}`),
      renewed: () => {},
    },
  });
  await leases.start();
  assert.equal(leases.holds(10, 1), true);
  await expire([10, 11]);
  clock.advance(LEASE_MS / 4);
  await again.promise;
  assert.deepEqual(events, ['acquired 10/1,11/1', 'lost 10,11', 'acquired 10/2,11/2']);
  assert.deepEqual([leases.holds(10, 1), leases.holds(10, 2)], [false, true]);
  await leases.stop();
});
