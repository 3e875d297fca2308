import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { DAY_MS } from '../../src/database/days/partitions.ts';
import { insertAttempts, listAttempts } from '../../src/dispatch/outcomes/attempt-queries.ts';
import { recordCompletions } from '../../src/dispatch/outcomes/result-queries.ts';
import { listHeldRows } from '../../src/dispatch/queue/queue-queries.ts';
import { type JournalEntry, journalDispatch } from '../../src/dispatch/sending/journal-queries.ts';
import { takeOverHolds } from '../../src/dispatch/unknown-outcomes/take-over-holds.ts';
import type { OwnJournals } from '../../src/dispatch/unknown-outcomes/unknown-outcome-queries.ts';
import { type HeldShard, takeShards } from '../../src/leases/lease-queries.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { openTestDatabase } from '../harness/database.ts';
import { untilWaiting } from '../harness/lock-waits.ts';

const db = await openTestDatabase({ after });

const NOW_MS = Date.UTC(2026, 7, 1);
/** The platform's clock, which dates attempts, is a minute behind. */
const PLATFORM_NOW_MS = NOW_MS - 60_000;
const OWNER = newId();
const ORGANIZATION = newId();
const HELD_MS = 50_000;
const ENTRY: JournalEntry = {
  organizationId: ORGANIZATION,
  messageId: newId(NOW_MS),
  shard: 12,
  numberId: 12,
  flowId: 4,
  seq: 1,
  contact: '15551230001',
  needsBody: false,
  takesLarge: false,
  pairFreeAtMs: null,
};

await preparePartitions({ db, clock: { ...systemClock, now: () => NOW_MS } });
await db.query({
  text: `
    WITH organization AS (
      INSERT INTO organization (id, name, created_at) VALUES ($1, 'O', now())
    ),
    waba AS (
      INSERT INTO waba (organization_id, waba_id, token_sealed, connected_at) VALUES ($1, '7', '', now())
    )
    INSERT INTO sending_number (organization_id, phone_number_id, account_id, number_id, waba_id, phone_number, registered,
      created_at, updated_at) OVERRIDING SYSTEM VALUE
    SELECT $1, n::text, gen_random_uuid(), n, '7', n::text, true, now(), now() FROM generate_series(1, 20) n`,
  values: [ORGANIZATION],
});

/** Stores a message of this shard whose outcome has been unknown for `ageMs`, held for `leftMs` more. */
async function hold(shard: number, ageMs: number, leftMs: number): Promise<void> {
  await db.query({
    text: `
      INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at,
        unknown_count, attempted_at, hold_until)
      VALUES ($1::int, $1::int, 4, 15551230001, $2, $2, $3::timestamptz, $3::timestamptz + interval '1 day', 1, $3::timestamptz, $4)`,
    values: [shard, newId(), new Date(PLATFORM_NOW_MS - ageMs), new Date(NOW_MS + leftMs)],
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

/** Stores a message of this shard named by a journal written `ageMs` ago. Returns its id. */
async function journal(shard: number, owner: string, batch: number, ageMs = HELD_MS): Promise<string> {
  const messageId = newId();
  await db.query({
    text: `
      WITH queued AS (
        INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
        VALUES ($1::int, $1::int, 4, 15551230001, $2, $2, $3, $3) RETURNING seq
      )
      INSERT INTO dispatch_journal (shard, owner, batch, number_ids, flow_ids, seqs, at)
      SELECT $1::int, $4, $5, ARRAY[$1::int], '{4}', ARRAY[seq], $3 FROM queued`,
    values: [shard, messageId, new Date(PLATFORM_NOW_MS - ageMs), owner, batch],
  });
  return messageId;
}

async function listSeqs(shard: number): Promise<number[]> {
  const text = 'SELECT seq FROM send_queue WHERE shard = $1 ORDER BY seq';
  return (await db.query<{ seq: number }>({ text, values: [shard] })).map(({ seq }) => seq);
}

async function journalsLeft(shard: number): Promise<number> {
  return (await db.query({ text: 'SELECT FROM dispatch_journal WHERE shard = $1', values: [shard] })).length;
}

/** Returns the remaining holds of a shard's unknown outcomes after a takeover that follows `quietMs` without an owner. */
async function leftAfterTakeover(
  shard: number,
  quietMs: number,
  own: OwnJournals = { batches: 0, inFlight: [] },
): Promise<number[]> {
  await lease(shard, OWNER, 2);
  await takeOverHolds(db, { owner: OWNER, shards: [{ shard, epoch: 2, quietMs }], ...own }, NOW_MS, PLATFORM_NOW_MS);
  return (await listHeldRows(db, [shard])).map(({ holdUntilMs }) => (holdUntilMs ?? 0) - NOW_MS);
}

test('attempts of a dead owner: held for as long as they are old, as statuses are repeated', async () => {
  await hold(1, 29_000, 1_000);
  assert.deepEqual(await leftAfterTakeover(1, 2_000), [29_000]);
});

test('time without an owner: added to a hold that has much left', async () => {
  await hold(2, 3_000, 27_000);
  assert.deepEqual(await leftAfterTakeover(2, 2_000), [27_000 + 2_000 + 5_000]);
});

test('an old hold: extended only by sure time without an owner, so it always ends', async () => {
  await hold(3, 400_000, 10_000);
  assert.deepEqual(await leftAfterTakeover(3, 2_000), [12_000]);
});

test('journaled messages: held from now on, and their journal is deleted', async () => {
  await journal(4, newId(), 1);
  assert.deepEqual(await leftAfterTakeover(4, 2_000), [50_000]);
  const [held] = await listHeldRows(db, [4]);
  assert.equal(held?.unknownCount, 1);
  assert.equal(held?.attemptedAtMs, PLATFORM_NOW_MS - 50_000);
  assert.equal(await journalsLeft(4), 0);
});

test('a late takeover: holds what this process journaled before, not what it did since', async () => {
  await journal(5, OWNER, 7);
  await journal(5, OWNER, 8);
  assert.deepEqual(await leftAfterTakeover(5, 2_000, { batches: 7, inFlight: await listSeqs(5) }), [50_000]);
  assert.equal(await journalsLeft(5), 1);
});

test('own journals: only messages still in flight may have been sent', async () => {
  for (let batch = 1; batch <= 3; batch += 1) await journal(15, OWNER, batch);
  await journal(15, newId(), 1);
  const [waiting = 0, underWay = 0, alsoWaiting = 0, others = 0] = await listSeqs(15);
  await leftAfterTakeover(15, 2_000, { batches: 3, inFlight: [underWay] });
  assert.deepEqual(
    (await listHeldRows(db, [15])).map(({ seq }) => seq).toSorted((one, other) => one - other),
    [underWay, others],
  );
  assert.ok(waiting > 0 && alsoWaiting > 0);
  assert.equal(await journalsLeft(15), 0);
});

test('batch numbers beyond 32 bits: the process goes on', async () => {
  const batch = 2 ** 31;
  await lease(12, OWNER, 2);
  const named = { owner: OWNER, batch, epochs: new Map([[12, 2]]) };
  await journalDispatch(db, named, [ENTRY], NOW_MS, PLATFORM_NOW_MS);
  const journaled = await db.query({ text: 'SELECT at FROM dispatch_journal WHERE shard = 12' });
  assert.deepEqual(journaled, [{ at: new Date(PLATFORM_NOW_MS) }]);
  await recordCompletions(db, OWNER, [], [{ shard: 12, batch }], NOW_MS);
  assert.equal(await journalsLeft(12), 0);
});

test('a shard: not taken while its owner writes a journal, which a takeover would miss', async () => {
  const [shard, owner] = [15, newId()];
  await lease(shard, owner, 2);
  const taken = Promise.withResolvers<HeldShard[]>();
  await db.transaction(async (tx) => {
    const entry = { ...ENTRY, messageId: newId(NOW_MS), shard, numberId: shard };
    const named = { owner, batch: 1, epochs: new Map([[shard, 2]]) };
    assert.ok(await journalDispatch(tx, named, [entry], NOW_MS, PLATFORM_NOW_MS));
    takeShards(db, newId(), 'dispatch', [shard], true).then(taken.resolve, taken.reject);
    await untilWaiting(db);
  });
  assert.equal((await taken.promise)[0]?.epoch, 3);
});

test('a late takeover: the shard has another lease → nothing changes', async () => {
  for (const [shard, owner, epoch] of [
    [6, newId(), 2],
    [7, OWNER, 3],
  ] as const) {
    await journal(shard, newId(), 1);
    await lease(shard, owner, epoch);
    await takeOverHolds(
      db,
      { owner: OWNER, shards: [{ shard, epoch: 2, quietMs: 0 }], batches: 0, inFlight: [] },
      NOW_MS,
      PLATFORM_NOW_MS,
    );
    assert.deepEqual(await listHeldRows(db, [shard]), []);
    assert.equal(await journalsLeft(shard), 1);
  }
});

test('journaled messages: shown as one attempt with unknown outcome, however many takeovers', async () => {
  const messageId = await journal(8, newId(), 1);
  await leftAfterTakeover(8, 2_000);
  await leftAfterTakeover(8, 4_000);
  const attempt = { organizationId: ORGANIZATION, messageId, atMs: NOW_MS - HELD_MS, outcome: 'unknown' } as const;
  const told = { ...attempt, errorCode: null, errorMessage: 'interrupted', nextAtMs: NOW_MS + HELD_MS };
  assert.deepEqual(await listAttempts(db, ORGANIZATION, messageId), [told]);
});

test('messages held by their own process: not shown a second time', async () => {
  const messageId = await journal(9, newId(), 1);
  await db.query({
    text: 'UPDATE send_queue SET hold_until = $2, attempted_at = $2, unknown_count = 1 WHERE shard = $1',
    values: [9, new Date(NOW_MS)],
  });
  await leftAfterTakeover(9, 2_000);
  assert.equal(await journalsLeft(9), 0);
  assert.deepEqual(await listAttempts(db, ORGANIZATION, messageId), []);
});

test('an attempt that ends after the takeover: shown once, as its process reports it', async () => {
  const messageId = await journal(10, newId(), 1);
  await leftAfterTakeover(10, 2_000);
  const note = { organizationId: ORGANIZATION, messageId, errorCode: null, errorMessage: 'timeout', nextAtMs: null };
  const notes = [NOW_MS - HELD_MS + 20, NOW_MS].map((atMs) => ({ ...note, atMs, outcome: 'unknown' as const }));
  await insertAttempts(db, notes);
  assert.deepEqual(await listAttempts(db, ORGANIZATION, messageId), notes);
});

test('an attempt of a dropped day: its shard is taken over, the attempt is not shown', async () => {
  const messageId = await journal(11, newId(), 1, 40 * DAY_MS);
  assert.equal((await leftAfterTakeover(11, 2_000)).length, 1);
  assert.deepEqual(await listAttempts(db, ORGANIZATION, messageId), []);
});

test('a takeover and concurrent results of the former owner: no deadlock', async () => {
  const before = newId();
  // Tests both orders in which they reach two rows.
  for (const [shard, blocked, ended] of [
    [13, 0, 1],
    [14, 1, 0],
  ] as const) {
    await journal(shard, before, 1);
    await journal(shard, before, 2);
    await db.query({
      text: `
        WITH second AS (DELETE FROM dispatch_journal WHERE shard = $1 AND batch = 2 RETURNING *)
        UPDATE dispatch_journal j
        SET number_ids = j.number_ids || s.number_ids, flow_ids = j.flow_ids || s.flow_ids, seqs = j.seqs || s.seqs
        FROM second s WHERE j.shard = $1 AND j.batch = 1`,
      values: [shard],
    });
    const rows = await db.query<{ seq: number; message_id: string }>({
      text: 'SELECT seq, message_id FROM send_queue WHERE shard = $1 ORDER BY seq',
      values: [shard],
    });
    const { seq = 0, message_id: messageId = '' } = rows[ended] ?? {};
    const completion = {
      ...{ organizationId: ORGANIZATION, messageId, numberId: shard, flowId: 4, seq, atMs: NOW_MS },
      result: { kind: 'failed', errorCode: '1', errorMessage: 'no' },
    } as const;
    const { takingOver, recording } = await db.transaction(async (tx) => {
      await tx.query({
        text: 'UPDATE send_queue SET attempt = 1 WHERE shard = $1 AND seq = $2',
        values: [shard, rows[blocked]?.seq],
      });
      const takingOver = leftAfterTakeover(shard, 2_000);
      await untilWaiting(db);
      const recording = recordCompletions(db, before, [completion], [{ shard, batch: 1 }], NOW_MS);
      await Promise.race([recording, untilWaiting(db, 2)]);
      return { takingOver, recording };
    });
    await Promise.all([takingOver, recording]);
    const held = (await listHeldRows(db, [shard])).map((row) => row.messageId);
    assert.deepEqual(held, [rows[blocked]?.message_id], 'what has not ended');
    assert.equal(await journalsLeft(shard), 0);
  }
});
