import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../src/core/ids.ts';
import { listHeldRows } from '../src/dispatch/queue-queries.ts';
import { takeOverHolds } from '../src/dispatch/take-over-holds.ts';
import { openFollowedDatabase } from './harness/followed-database.ts';

const { db, close } = await openFollowedDatabase();
after(close);

const NOW_MS = Date.UTC(2026, 7, 1);
const OWNER = newId();

/** A message of this shard whose outcome has been unknown since `ageMs` ago, held for `leftMs` more. */
async function hold(shard: number, ageMs: number, leftMs: number): Promise<void> {
  await db.query({
    text: `
      INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at,
        unknown_count, attempted_at, hold_until)
      VALUES ($1::int, $1::int, 4, 15551230001, $2, $2, $3::timestamptz, $3::timestamptz + interval '1 day', 1, $3::timestamptz, $4)`,
    values: [shard, newId(), new Date(NOW_MS - ageMs), new Date(NOW_MS + leftMs)],
  });
}

async function lease(shard: number, owner: string, epoch: number): Promise<void> {
  await db.query({
    text: `
      INSERT INTO shard_lease (shard, owner, epoch, expires_at) VALUES ($1, $2, $3, now() + interval '5 s')
      ON CONFLICT (shard) DO UPDATE SET owner = excluded.owner, epoch = excluded.epoch`,
    values: [shard, owner, epoch],
  });
}

/** A message of this shard that a journal names. */
async function journal(shard: number, owner: string, batch: number): Promise<void> {
  await db.query({
    text: `
      WITH queued AS (
        INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
        VALUES ($1::int, $1::int, 4, 15551230001, $2, $2, $3, $3) RETURNING seq
      )
      INSERT INTO dispatch_journal (shard, owner, batch, number_ids, flow_ids, seqs, at)
      SELECT $1::int, $4, $5, ARRAY[$1::int], '{4}', ARRAY[seq], $3 FROM queued`,
    values: [shard, newId(), new Date(NOW_MS - 50_000), owner, batch],
  });
}

async function journalsLeft(shard: number): Promise<number> {
  return (await db.query({ text: 'SELECT FROM dispatch_journal WHERE shard = $1', values: [shard] })).length;
}

/** How much longer what is unknown of a shard is held, once it has been taken over after so long without an owner. */
async function leftAfterTakeover(shard: number, quietMs: number, batches = 0): Promise<number[]> {
  await lease(shard, OWNER, 2);
  await takeOverHolds(db, { owner: OWNER, shards: [{ shard, epoch: 2, quietMs }], batches }, NOW_MS);
  return (await listHeldRows(db, [shard])).map(({ holdUntilMs }) => (holdUntilMs ?? 0) - NOW_MS);
}

test('what its owner died over is held for as long as it is old: the platform tells again of what was told meanwhile', async () => {
  await hold(1, 29_000, 1_000);
  assert.deepEqual(await leftAfterTakeover(1, 2_000), [29_000]);
});

test('the time a shard was surely or perhaps without an owner is added to a hold that has much left', async () => {
  await hold(2, 3_000, 27_000);
  assert.deepEqual(await leftAfterTakeover(2, 2_000), [27_000 + 2_000 + 5_000]);
});

test('an old hold gets no more than the time a shard was surely without an owner: owners that keep dying end it all the same', async () => {
  await hold(3, 400_000, 10_000);
  assert.deepEqual(await leftAfterTakeover(3, 2_000), [12_000]);
});

test('what a journal names is held from now on, and its journal is gone', async () => {
  await journal(4, newId(), 1);
  assert.deepEqual(await leftAfterTakeover(4, 2_000), [50_000]);
  const [held] = await listHeldRows(db, [4]);
  assert.equal(held?.unknownCount, 1);
  assert.equal(held?.attemptedAtMs, NOW_MS - 50_000);
  assert.equal(await journalsLeft(4), 0);
});

test('what this process journaled before it lost a shard may have been sent, but a takeover the server gets to late leaves alone what it journaled since', async () => {
  await journal(5, OWNER, 7);
  await journal(5, OWNER, 8);
  assert.deepEqual(await leftAfterTakeover(5, 2_000, 7), [50_000]);
  assert.equal(await journalsLeft(5), 1);
});

test('a takeover the server gets to when its shard has another lease leaves all of it alone', async () => {
  for (const [shard, owner, epoch] of [
    [6, newId(), 2],
    [7, OWNER, 3],
  ] as const) {
    await journal(shard, newId(), 1);
    await lease(shard, owner, epoch);
    await takeOverHolds(db, { owner: OWNER, shards: [{ shard, epoch: 2, quietMs: 0 }], batches: 0 }, NOW_MS);
    assert.deepEqual(await listHeldRows(db, [shard]), []);
    assert.equal(await journalsLeft(shard), 1);
  }
});
