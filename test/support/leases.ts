import assert from 'node:assert/strict';
import { pino } from 'pino';
import { newId } from '../../src/core/ids.ts';
import type { Clock } from '../../src/core/time/clock.ts';
import type { Database, Queryable } from '../../src/database/database.ts';
import { Heartbeat } from '../../src/leases/heartbeat.ts';
import { beat, releaseLeases, takeShards } from '../../src/leases/lease-queries.ts';

/** Returns options of the leases of a node, with a heartbeat of its own. */
export function nodeOn(db: Database, clock: Clock, { nodeId = newId(), alone = false } = {}) {
  const node = { db, clock, log: pino({ level: 'silent' }), nodeId, alone };
  return { ...node, heartbeat: new Heartbeat({ ...node, servesApi: false }) };
}

/** Returns functions that act as nodes on the leases of a database. */
export function leasesOf(db: Database) {
  /** A node and its operations on one shard, of which other nodes expect no work. */
  function node(shard: number, id = newId()) {
    const works = [{ work: 'dispatch', firstShard: shard, shardCount: 1, isLeaving: true }] as const;
    const self = { nodeId: id, startedAtMs: 0, servesApi: false, works };
    return {
      id,
      renew: async (through: Queryable = db) => (await beat(through, self)).held[0],
      take: async (seize = false) => (await takeShards(db, id, 'dispatch', [shard], seize))[0],
      giveBack: () => releaseLeases(db, id, [shard]),
    };
  }

  /** Ends this owner's leases a minute ago. */
  async function expire(owner: string): Promise<void> {
    await db.query({
      text: "UPDATE lease_term SET ends_at = now() - interval '1 minute' WHERE owner = $1",
      values: [owner],
    });
  }

  /** Creates a node that has acquired the shard. */
  async function holder(shard: number) {
    const first = node(shard);
    await first.renew();
    assert.equal((await first.take())?.epoch, 1);
    return first;
  }

  /** Creates another living node. */
  async function rivalFor(shard: number) {
    const second = node(shard);
    await second.renew();
    return second;
  }

  return { node, expire, holder, rivalFor };
}
