import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { newId } from '../../src/core/ids.ts';
import type { Database, Statement } from '../../src/database/database.ts';
import { beat, type HeldShard, LEASE_MS, leave } from '../../src/leases/lease-queries.ts';
import { Leases } from '../../src/leases/leases.ts';
import { preferredOwner } from '../../src/leases/shard-ownership.ts';
import { openTestDatabase } from '../harness/database.ts';
import { createManualClock } from '../harness/manual-clock.ts';
import { leasesOf, nodeOn } from '../support/leases.ts';

const db = await openTestDatabase({ after });
const { expire, rivalFor } = leasesOf(db);

test('a process whose own leases ended: drops its work and acquires them as new', async () => {
  const clock = createManualClock();
  const nodeId = newId();
  const events: string[] = [];
  const again = Promise.withResolvers<HeldShard[]>();
  const leases = new Leases({
    ...nodeOn(db, clock, { nodeId }),
    work: 'dispatch',
    firstShard: 10,
    shardCount: 2,
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
  await expire(nodeId);
  clock.advance(LEASE_MS / 4);
  await again.promise;
  assert.deepEqual(events, ['acquired 10/1,11/1', 'lost 10,11', 'acquired 10/2,11/2']);
  assert.deepEqual([leases.holds(10, 1), leases.holds(10, 2)], [false, true]);
  await leases.stop();
});

test('a process suspended for the length of its lease: sends nothing that it had begun', async () => {
  const clock = createManualClock();
  const leases = new Leases({
    ...nodeOn(db, clock),
    ...{ work: 'dispatch', firstShard: 14, shardCount: 1 },
    listener: { acquired: async () => {}, release: async () => {}, lost() {}, renewed() {} },
  });
  await leases.start();
  assert.equal(leases.holds(14, 1), true);
  clock.leap(LEASE_MS);
  assert.equal(leases.holds(14, 1), false);
  await leases.stop();
});

/** Starts one shard's leases beside a rival that is preferred whenever it is present, and records their notifications. */
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
    ...nodeOn(through, clock, { nodeId }),
    ...{ work: 'dispatch', firstShard: shard, shardCount: 1 },
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
  const works = [{ work: 'dispatch', firstShard: shard, shardCount: 0, isLeaving: false }] as const;
  await beat(db, { nodeId: rival, startedAtMs: 0, servesApi: false, works });
  return {
    leases,
    nodeId,
    told: () => told.filter((text) => text !== 'renewed'),
    rivalGoes: () => leave(db, rival),
    /** Advances heartbeats until one has recorded `text`. */
    async beatUntil(text: string): Promise<void> {
      let isTold = false;
      const wanted = nextTold(text).then(() => {
        isTold = true;
      });
      for (;;) {
        // Waits until the last heartbeat has ended. Otherwise the outcome of a further one would depend on which is faster.
        await clock.whenScheduled(LEASE_MS / 4);
        if (isTold) return;
        const renewed = nextTold('renewed');
        clock.advance(LEASE_MS / 4);
        await Promise.race([wanted, renewed]);
      }
    },
  };
}

test('a lease lost while its work was ending, then reacquired: not released for the old one', async () => {
  const drained = Promise.withResolvers<void>();
  const { leases, nodeId, told, rivalGoes, beatUntil } = await startBesideRival(20, () => drained.promise);
  await beatUntil('asked to release');
  await rivalGoes();
  await expire(nodeId);
  await beatUntil('acquired 2');
  drained.resolve();
  await setImmediate();
  assert.equal(leases.holds(20, 2), true);
  assert.equal(await (await rivalFor(20)).take(), undefined, 'nobody else can have it');
  assert.deepEqual(told(), ['acquired 1', 'asked to release', 'lost', 'acquired 2']);
  await leases.stop();
});

test('a lease wanted again during its release: acquired after the release', async () => {
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
