import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { heldFor, openWithOneHeld, ROW, turn } from '../../../test/support/held-outcome.ts';
import type { Database } from '../../database/database.ts';
import { lengthenHolds } from './unknown-outcome-queries.ts';

test('outcome: its hold ends while its number is being opened → still decided', async () => {
  const clock = createManualClock();
  const { scheduler, unknown } = openWithOneHeld(clock, -1);
  // Other numbers are opened between the opening of a number and the adoption of its outcomes.
  unknown.expire();
  const nowMs = clock.now();
  unknown.adopt([{ ...ROW, unknownCount: 1, holdUntilMs: nowMs - 1, attemptedAtMs: nowMs - 600_000 }]);
  for (let second = 0; second < 10; second += 1) {
    clock.advance(1_000);
    unknown.expire();
    await new Promise((resolve) => setImmediate(resolve));
  }
  unknown.stop();
  assert.equal(scheduler.totals().held, 0);
  assert.deepEqual(
    scheduler.take(clock.monotonicMs(), 1).map(({ seq }) => seq),
    [7],
  );
});

test('outcomes: statuses cannot be looked up → undecided, then all decided soon afterwards', async () => {
  const clock = createManualClock();
  let isReachable = false;
  const { scheduler, unknown } = openWithOneHeld(clock, 30_000, {
    query: async () => (isReachable ? [] : Promise.reject(new Error('away'))),
  });
  unknown.adopt([{ ...ROW, unknownCount: 1, holdUntilMs: clock.now() + 30_000, attemptedAtMs: clock.now() }]);
  const sentAfter = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1_000);
      unknown.expire();
      await turn();
      await turn();
    }
    return scheduler.take(clock.monotonicMs(), 1).length;
  };
  assert.equal(await sentAfter(90), 0);
  isReachable = true;
  assert.equal(await sentAfter(130), 1);
  unknown.stop();
});

test('hold: storing its extension takes long → still ends', async () => {
  const clock = createManualClock();
  let isReachable = false;
  const { scheduler, unknown } = openWithOneHeld(clock, 30_000, {
    async query({ name }) {
      if (!isReachable) throw new Error('away');
      if (name === 'queue_lengthen_holds') clock.advance(2_500);
      return [];
    },
  });
  unknown.adopt([{ ...ROW, unknownCount: 1, holdUntilMs: clock.now() + 30_000, attemptedAtMs: clock.now() }]);
  for (let second = 0; second < 180; second += 1) {
    clock.advance(1_000);
    unknown.expire();
    for (let turns = 0; turns < 4; turns += 1) await turn();
    isReachable = true;
  }
  unknown.stop();
  assert.equal(scheduler.take(clock.monotonicMs(), 1).length, 1);
});

test('holds: thousands to lengthen → written in sets', async () => {
  const sets: number[] = [];
  const query = async ({ values: [, , seqs] }: { values: [unknown, unknown, number[]] }) => {
    sets.push(seqs.length);
    return [];
  };
  const holds = Array.from({ length: 12_000 }, (_, seq) => ({ ...ROW, seq, unknownCount: 1, holdUntilMs: 1 }));
  await lengthenHolds({ query } as unknown as Database, holds);
  assert.ok(sets.length > 1 && Math.max(...sets) <= 5_000, String(sets));
  assert.equal(
    sets.reduce((sum, size) => sum + size, 0),
    12_000,
  );
});

test('status: several messages to one person → settles the first, the others wait for theirs', async () => {
  const clock = createManualClock();
  const rows = [7, 8].map((seq) => ({ ...ROW, seq, messageId: `m${seq}` }));
  const statuses: { seq: number; wamid: string; at: Date }[] = [];
  const { unknown, completed } = openWithOneHeld(clock, 30_000, {
    query: async ({ name }) => (name === 'early_status_find_settling' ? statuses.splice(0) : []),
  });
  unknown.adopt(
    rows.map((row) => ({ ...row, unknownCount: 1, holdUntilMs: clock.now() + 30_000, attemptedAtMs: clock.now() })),
  );
  const look = async () => {
    clock.advance(1_000);
    for (let turns = 0; turns < 4; turns += 1) await turn();
  };
  const at = new Date(clock.now());
  statuses.push({ seq: 7, wamid: 'X', at }, { seq: 8, wamid: 'X', at });
  await look();
  assert.partialDeepStrictEqual(completed, [{ wamid: 'X' }]);
  assert.equal(completed.length, 1);
  statuses.push({ seq: 8, wamid: 'Y', at });
  await look();
  unknown.stop();
  assert.partialDeepStrictEqual(completed, [{ wamid: 'X' }, { wamid: 'Y' }]);
});

for (const kind of ['retry', 'unsent'] as const) {
  test(`adopted attempt: in flight here, ends unaccepted (${kind}) → sent again at once`, async () => {
    const clock = createManualClock();
    const { scheduler, unknown, postponed } = openWithOneHeld(clock, 30_000);
    unknown.adopt([{ ...ROW, unknownCount: 1, holdUntilMs: clock.now() + 30_000, attemptedAtMs: clock.now() }]);
    const settlement = kind === 'unsent' ? { kind } : { kind, dueAtMs: clock.monotonicMs(), attempt: 1 };
    unknown.endHere(ROW.seq, settlement, { journaledAtMs: clock.now(), formerAtMs: 7 });
    assert.deepEqual(scheduler.take(clock.monotonicMs(), 1), [], 'not before the row is written');
    await turn();
    unknown.stop();
    assert.equal(scheduler.take(clock.monotonicMs(), 1).length, 1);
    const attempt = kind === 'retry' ? 1 : 0;
    const before = { unknownCount: 0, attempt, holdUntilMs: null, attemptedAtMs: 7, undoneAtMs: clock.now() };
    assert.partialDeepStrictEqual(postponed, [{ seq: ROW.seq, ...before }]);
  });
}

for (const kind of ['unsent', 'done'] as const) {
  test(`attempt: ends here during its adoption (${kind}) → not held`, async () => {
    const clock = createManualClock();
    const { scheduler, unknown } = openWithOneHeld(clock, 30_000);
    const held = { ...ROW, unknownCount: 1, holdUntilMs: clock.now() + 30_000, attemptedAtMs: clock.now() };
    const endAdoption = unknown.beginAdoption();
    unknown.endHere(ROW.seq, { kind }, { journaledAtMs: clock.now(), formerAtMs: null });
    unknown.adopt([held]);
    endAdoption();
    await turn();
    unknown.stop();
    assert.equal(scheduler.totals().held, 0);
    assert.equal(scheduler.take(clock.monotonicMs(), 1).length, kind === 'unsent' ? 1 : 0);
  });
}

test('attempt: ended here before the takeover → a later attempt of another node stays held', () => {
  const clock = createManualClock();
  const { scheduler, unknown } = openWithOneHeld(clock, 30_000);
  const attempt = { journaledAtMs: clock.now(), formerAtMs: null };
  unknown.beginAdoption()();
  unknown.endHere(ROW.seq, { kind: 'unsent' }, attempt);
  const endAdoption = unknown.beginAdoption();
  unknown.adopt([{ ...ROW, unknownCount: 1, holdUntilMs: clock.now() + 30_000, attemptedAtMs: clock.now() }]);
  endAdoption();
  unknown.stop();
  assert.equal(scheduler.totals().held, 1);
});

test('outcome: replaced while being decided → decided when its own hold ends', async () => {
  const clock = createManualClock();
  const looks: (() => void)[] = [];
  const { scheduler, unknown } = openWithOneHeld(clock, 30_000, {
    query: () => new Promise((resolve) => looks.push(() => resolve([]))),
  });
  const attemptedAtMs = clock.now();
  const row = { ...ROW, unknownCount: 1, attemptedAtMs };
  unknown.adopt([{ ...row, holdUntilMs: clock.now() + 30_000 }]);
  clock.advance(30_000);
  unknown.expire();
  unknown.adopt([{ ...row, holdUntilMs: clock.now() + 10_000 }]);
  const sentAfter = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      for (let turns = 0; turns < 6; turns += 1) {
        for (const answer of looks.splice(0)) answer();
        await turn();
      }
      clock.advance(1_000);
      unknown.expire();
    }
    return scheduler.take(clock.monotonicMs(), 1).length;
  };
  assert.equal(await sentAfter(9), 0);
  assert.equal(await sentAfter(60), 1);
  unknown.stop();
});

test('outcome: its attempt is still in flight here → undecided until the attempt ends', async () => {
  const clock = createManualClock();
  let isUnderWay = true;
  const opened = openWithOneHeld(clock, 8_000, { isInFlight: () => isUnderWay });
  const { unknown } = opened;
  unknown.adopt([{ ...ROW, unknownCount: 1, holdUntilMs: clock.now() + 8_000, attemptedAtMs: clock.now() }]);
  assert.equal(await heldFor(clock, opened, 20), 20);
  isUnderWay = false;
  assert.ok((await heldFor(clock, opened, 20)) <= 2);
  unknown.stop();
});
