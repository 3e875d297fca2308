import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { newId } from '../src/core/ids.ts';
import type { Database, Statement } from '../src/database/database.ts';
import { beat, type HeldShard, holdLeases, LEASE_MS, leave, releaseLeases } from '../src/dispatch/lease-queries.ts';
import { Leases } from '../src/dispatch/leases.ts';
import { preferredOwner } from '../src/dispatch/shard-ownership.ts';
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

/** One shard's leases, beside a rival who is to have the shard whenever it is there; and what they tell. */
async function startBesideRival(shard: number, release: () => Promise<void>, through: Database = db) {
  const clock = createManualClock();
  const nodeId = newId();
  let rival = newId();
  while (preferredOwner(0, [nodeId, rival]) !== rival) rival = newId();
  const told: string[] = [];
  let waiters: { text: string; resolve: () => void }[] = [];
  const tell = (text: string) => {
    told.push(text);
    for (const waiter of waiters) if (waiter.text === text) waiter.resolve();
    waiters = waiters.filter((waiter) => waiter.text !== text);
  };
  const nextTold = (text: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiters.push({ text, resolve });
    return promise;
  };
  const leases = new Leases({
    ...{ db: through, clock, log: pino({ level: 'silent' }), nodeId, firstShard: shard, shardCount: 1, alone: false },
    listener: {
      acquired: async ([held]) => tell(`acquired ${held?.epoch}`),
      release: () => {
        tell('asked to release');
        return release();
      },
      lost: () => tell('lost'),
      renewed: () => tell('renewed'),
    },
  });
  await leases.start();
  await beat(db, rival, 0, 'dispatch', true);
  return {
    leases,
    told: () => told.filter((text) => text !== 'renewed'),
    rivalGoes: () => leave(db, rival),
    /** Has beats come until one has told this. */
    async beatUntil(text: string): Promise<void> {
      let isTold = false;
      const wanted = nextTold(text).then(() => {
        isTold = true;
      });
      for (;;) {
        // When the last one has ended: what a further one met would depend on who is faster.
        await clock.whenScheduled(LEASE_MS / 4);
        if (isTold) return;
        const renewed = nextTold('renewed');
        clock.advance(LEASE_MS / 4);
        await Promise.race([wanted, renewed]);
      }
    },
  };
}

test('a lease lost while its work was ending, and taken again, is not given back for the one before', async () => {
  const drained = Promise.withResolvers<void>();
  const { leases, told, rivalGoes, beatUntil } = await startBesideRival(20, () => drained.promise);
  await beatUntil('asked to release');
  await rivalGoes();
  await expire([20]);
  await beatUntil('acquired 2');
  drained.resolve();
  await setImmediate();
  assert.equal(leases.holds(20, 2), true);
  assert.equal(await epochOf(other, 20), undefined, 'nobody else can have it');
  assert.deepEqual(told(), ['acquired 1', 'asked to release', 'lost', 'acquired 2']);
  await leases.stop();
});

test('a lease wanted again while it is being given back is taken once that is done', async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const slow: Database = {
    ...db,
    async query<Row extends Record<string, unknown>>(statement: Statement) {
      if (statement.name === 'shard_lease_release') {
        asked.resolve();
        await answered.promise;
      }
      return await db.query<Row>(statement);
    },
  };
  const { leases, told, rivalGoes, beatUntil } = await startBesideRival(30, async () => {}, slow);
  await beatUntil('asked to release');
  await asked.promise;
  await rivalGoes();
  await beatUntil('renewed');
  answered.resolve();
  await beatUntil('acquired 2');
  assert.equal(leases.holds(30, 2), true);
  assert.deepEqual(told(), ['acquired 1', 'asked to release', 'acquired 2']);
  await leases.stop();
});
