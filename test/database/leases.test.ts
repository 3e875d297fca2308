import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import type { Database } from '../../src/database/database.ts';
import { beat, boundAhead, isApiServed, LEASE_MS, leave, takeShards } from '../../src/leases/lease-queries.ts';
import { Leases } from '../../src/leases/leases.ts';
import { openTestDatabase } from '../harness/database.ts';
import { untilWaiting } from '../harness/lock-waits.ts';
import { createManualClock } from '../harness/manual-clock.ts';
import { until } from '../harness/tenant.ts';
import { leasesOf, nodeOn } from '../support/leases.ts';

const db = await openTestDatabase({ after });

const { node, expire, holder, rivalFor } = leasesOf(db);

test('a held shard: renewed under its epoch, refused to others', async () => {
  const [first, second] = [node(1), node(1)];
  await Promise.all([first.renew(), second.renew()]);
  assert.deepEqual(await first.take(), { shard: 1, epoch: 1, quietMs: null });
  assert.equal(await second.take(), undefined);
  const renewed = await first.renew();
  assert.equal(renewed?.epoch, 1);
  assert.ok((renewed?.quietMs ?? 0) < 0, 'it had not ended');
  assert.equal(await second.renew(), undefined);
});

test('a shard whose owner has not renewed its term: acquired under a new epoch', async () => {
  const [first, second] = [await holder(2), await rivalFor(2)];
  await expire(first.id);
  const taken = await second.take();
  assert.equal(taken?.epoch, 2);
  assert.ok((taken?.quietMs ?? 0) >= 60_000, 'it had ended a minute ago');
  assert.equal(await first.renew(), undefined);
  assert.equal(await first.take(), undefined);
});

test('an owner that renews after its term: keeps untaken shards, under new epochs', async () => {
  const first = await holder(3);
  await expire(first.id);
  const renewed = await first.renew();
  assert.equal(renewed?.epoch, 2);
  assert.ok((renewed?.quietMs ?? 0) >= 60_000, 'it had ended a minute ago');
  assert.equal((await first.renew())?.epoch, 2);
});

test("a term far ahead after PostgreSQL's clock went back: normal length once renewed", async () => {
  const first = await holder(31);
  const lastsMs = async () => {
    const rows = await db.query<{ ms: number }>({
      text: 'SELECT extract(epoch FROM ends_at - clock_timestamp())::float8 * 1000 AS ms FROM lease_term WHERE owner = $1',
      values: [first.id],
    });
    return rows[0]?.ms ?? 0;
  };
  await db.query({
    text: "UPDATE lease_term SET ends_at = now() + interval '5 minutes' WHERE owner = $1",
    values: [first.id],
  });
  assert.equal((await first.renew())?.epoch, 1);
  assert.ok((await lastsMs()) <= LEASE_MS, `${await lastsMs()} ms`);
});

test('the API: served while a living node serves it', async () => {
  const [api, worker] = [newId(), newId()];
  const say = (nodeId: string, servesApi: boolean) => beat(db, { nodeId, startedAtMs: 0, servesApi, works: [] });
  await say(worker, false);
  assert.equal(await isApiServed(db), false);
  await say(api, true);
  assert.equal(await isApiServed(db), true);
  await db.query({
    text: "UPDATE node SET seen_at = now() - $2 * interval '1 millisecond' WHERE id = $1",
    values: [api, LEASE_MS],
  });
  assert.equal(await isApiServed(db), false);
  await say(api, true);
  await leave(db, api);
  assert.equal(await isApiServed(db), false);
  await leave(db, worker);
});

test("a dead node's term from before the clock went back: lasts no longer than a lease", async () => {
  const [dead, gone] = [await holder(15), await holder(16)];
  await gone.giveBack();
  const ahead = "now() + interval '5 minutes'";
  await db.query({ text: `UPDATE node SET seen_at = ${ahead} WHERE id = $1`, values: [dead.id] });
  await db.query({ text: `UPDATE lease_term SET ends_at = ${ahead} WHERE owner = $1`, values: [dead.id] });
  await db.query({ text: `UPDATE shard_lease SET expires_at = ${ahead} WHERE shard = 16` });
  const leases = new Leases({
    ...nodeOn(db, createManualClock()),
    ...{ work: 'deliver', firstShard: 17, shardCount: 1 },
    listener: { acquired: async () => {}, release: async () => {}, lost() {}, renewed() {} },
  });
  await leases.start();
  await leases.stop();
  const [left] = await db.query<{ seen: number; term: number; given_back: number; held: boolean }>({
    text: `
      SELECT extract(epoch FROM n.seen_at - clock_timestamp())::float8 * 1000 AS seen,
        extract(epoch FROM t.ends_at - clock_timestamp())::float8 * 1000 AS term,
        (SELECT extract(epoch FROM expires_at - clock_timestamp())::float8 * 1000 FROM shard_lease WHERE shard = 16) AS given_back,
        (SELECT expires_at = 'infinity' FROM shard_lease WHERE shard = 15) AS held
      FROM node n JOIN lease_term t ON t.owner = n.id WHERE n.id = $1`,
    values: [dead.id],
  });
  await leave(db, dead.id);
  assert.ok(left !== undefined && left.seen <= 0, `seen in ${left?.seen} ms`);
  // Its owner may still be alive, and uses its own clock.
  assert.ok(left.term <= LEASE_MS && left.term > LEASE_MS - 2_000, `ends in ${left.term} ms`);
  assert.ok(left.given_back <= LEASE_MS, `free in ${left.given_back} ms`);
  assert.equal(left.held, true);
});

test('rows far ahead and locked: a heartbeat does not wait for them', async () => {
  const busy = await holder(18);
  await db.query({
    text: "UPDATE lease_term SET ends_at = now() + interval '5 minutes' WHERE owner = $1",
    values: [busy.id],
  });
  await db.transaction(async (tx) => {
    await busy.renew(tx);
    await boundAhead(db);
  });
});

test('a released shard: free at once; released by a former owner: unchanged', async () => {
  const [first, second] = [await holder(4), await rivalFor(4)];
  await second.giveBack();
  assert.equal(await second.take(), undefined);
  await first.giveBack();
  assert.equal(await first.renew(), undefined);
  assert.equal((await second.take())?.epoch, 2);
});

test('a process that is alone: the only one to take shards of another owner', async () => {
  await holder(5);
  const second = await rivalFor(5);
  const seized = await second.take(true);
  assert.equal(seized?.epoch, 2);
  assert.ok((seized?.quietMs ?? 0) <= 0, 'it had not ended');
});

test('a late renewal that waits for the next owner: does not keep the shard', async () => {
  const [first, second] = [await holder(6), await rivalFor(6)];
  const renewal = Promise.withResolvers<unknown>();
  await db.transaction(async (late) => {
    // Its statement's time is before the end.
    await late.query({ text: 'SELECT now()' });
    await db.query({
      text: "UPDATE lease_term SET ends_at = clock_timestamp() + interval '1 ms' WHERE owner = $1",
      values: [first.id],
    });
    await until('the term is over', async () => {
      const over = await db.query({
        text: 'SELECT FROM lease_term WHERE owner = $1 AND ends_at < now()',
        values: [first.id],
      });
      return over.length > 0 ? true : undefined;
    });
    await db.transaction(async (tx) => {
      const [taken] = await takeShards(tx, second.id, 'dispatch', [6], false);
      assert.equal(taken?.epoch, 2);
      first.renew(late).then(renewal.resolve, renewal.reject);
      await untilWaiting(db);
    });
    assert.equal(await renewal.promise, undefined);
  });
});

test('a term that ended during its renewal: the shard stays with its owner', async () => {
  const [first, second] = [await holder(8), await rivalFor(8)];
  const rival = Promise.withResolvers<unknown>();
  await db.query({
    text: "UPDATE lease_term SET ends_at = clock_timestamp() + interval '300 ms' WHERE owner = $1",
    values: [first.id],
  });
  await db.transaction(async (tx) => {
    const epoch = (await first.renew(tx))?.epoch;
    await until('the term as others see it is over', async () => {
      const over = await db.query({
        text: 'SELECT FROM lease_term WHERE owner = $1 AND ends_at < now()',
        values: [first.id],
      });
      return over.length > 0 ? true : undefined;
    });
    second.take().then(rival.resolve, rival.reject);
    if (epoch === 1) await untilWaiting(db);
  });
  assert.equal(await rival.promise, undefined);
});

test('two nodes acquire a shard at once: one gets it', async () => {
  const [first, second, third] = [await holder(9), await rivalFor(9), await rivalFor(9)];
  await first.giveBack();
  const late = Promise.withResolvers<unknown>();
  await db.transaction(async (tx) => {
    const [taken] = await takeShards(tx, second.id, 'dispatch', [9], false);
    assert.equal(taken?.epoch, 2);
    third.take().then(late.resolve, late.reject);
    await untilWaiting(db);
  });
  assert.equal(await late.promise, undefined);
  assert.equal((await second.renew())?.epoch, 2);
});

test('a lease of a node without terms: respected until its own time ends', async () => {
  const [first, second] = [newId(), await rivalFor(7)];
  await db.query({
    text: "INSERT INTO shard_lease (shard, owner, epoch, expires_at) VALUES (7, $1, 4, now() + interval '1 minute')",
    values: [first],
  });
  assert.equal(await second.take(), undefined);
  await db.query({ text: "UPDATE shard_lease SET expires_at = now() - interval '1 minute' WHERE shard = 7" });
  const taken = await second.take();
  assert.equal(taken?.epoch, 5);
  assert.ok((taken?.quietMs ?? 0) >= 60_000, 'it had ended a minute ago');
});

test('two kinds of work: renewed together; one that ends: the other stays reported', async () => {
  const clock = createManualClock();
  const options = nodeOn(db, clock);
  const listener = { acquired: async () => {}, release: async () => {}, lost() {}, renewed() {} };
  const dispatch = new Leases({ ...options, work: 'dispatch', firstShard: 40, shardCount: 2, listener });
  const deliver = new Leases({ ...options, work: 'deliver', firstShard: 42, shardCount: 2, listener });
  const readNode = () =>
    db.query({ text: 'SELECT dispatches, delivers FROM node WHERE id = $1', values: [options.nodeId] });
  await dispatch.start();
  assert.deepEqual(await readNode(), [{ dispatches: true, delivers: false }]);
  await deliver.start();
  assert.deepEqual(await readNode(), [{ dispatches: true, delivers: true }]);
  assert.deepEqual(
    [dispatch.shards().sort(), deliver.shards().sort()],
    [
      [40, 41],
      [42, 43],
    ],
  );
  await expire(options.nodeId);
  clock.advance(LEASE_MS / 4);
  await clock.whenScheduled(LEASE_MS / 4);
  assert.deepEqual([dispatch.epochOf(40), deliver.epochOf(42)], [2, 2]);
  await deliver.stop();
  assert.deepEqual(await readNode(), [{ dispatches: true, delivers: false }]);
  await dispatch.stop();
  assert.deepEqual(await readNode(), []);
});

test('a process that is alone: beats half as often; a beat fails → soon again', async () => {
  const clock = createManualClock();
  let fails = false;
  const failing: Database = {
    ...db,
    query: (statement) => (fails ? Promise.reject(new Error('no answer')) : db.query(statement)),
  };
  const listener = { acquired: async () => {}, release: async () => {}, lost() {}, renewed() {} };
  const leases = new Leases({
    ...nodeOn(failing, clock, { alone: true }),
    ...{ work: 'dispatch', firstShard: 44, shardCount: 1, listener },
  });
  await leases.start();
  await clock.whenScheduled(LEASE_MS / 2);
  fails = true;
  clock.advance(LEASE_MS / 2);
  await clock.whenScheduled(LEASE_MS / 20);
  fails = false;
  clock.advance(LEASE_MS / 20);
  await clock.whenScheduled(LEASE_MS / 2);
  assert.equal(leases.holds(44, 1), true);
  await leases.stop();
});
