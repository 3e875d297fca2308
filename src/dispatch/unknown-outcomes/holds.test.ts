import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { heldFor, openWithOneHeld, type Query, ROW, turn } from '../../../test/support/held-outcome.ts';
import type { SendingNumber } from '../../accounts/index.ts';
import type { Database } from '../../database/database.ts';
import type { OrganizationSettings } from '../../organizations/index.ts';
import { PlatformClock } from '../../upstream/index.ts';
import { NumberBook } from '../numbers/number-book.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import { Scheduler } from '../scheduler/index.ts';
import { StatusGaps } from './status-gaps.ts';
import { UNKNOWN_OUTCOME } from './unknown-outcome.ts';
import { UnknownOutcomes } from './unknown-outcomes.ts';

test('hold: platform unreachable → lasts through the gap and as long again, but not forever', async () => {
  const clock = createManualClock();
  const heldUnreached = async (unreachedSeconds: number) => {
    const opened = openWithOneHeld(clock, clock.monotonicMs() + 8_000);
    const holdUntilMs = clock.now() + 8_000;
    opened.unknown.adopt([{ ...ROW, unknownCount: 1, holdUntilMs, attemptedAtMs: clock.now() }]);
    const seconds = await heldFor(clock, opened, 2_000, (second) =>
      opened.gaps.notePlatform(second >= unreachedSeconds),
    );
    opened.unknown.stop();
    return seconds;
  };
  const [short, long, endless] = [await heldUnreached(0), await heldUnreached(60), await heldUnreached(2_000)];
  assert.ok(short <= 10, `${short} s`);
  assert.ok(long >= 110 && long <= 125, `${long} s for a minute without the platform`);
  assert.ok(endless <= 480, `${endless} s`);
});

test('hold: no node serves the API, however long → lasts two minutes at most afterwards', async () => {
  const clock = createManualClock();
  let hasReceiver = true;
  for (const awaySeconds of [60, 3_600]) {
    const opened = openWithOneHeld(clock, clock.monotonicMs() + 8_000, { hasReceiver: () => hasReceiver });
    const holdUntilMs = clock.now() + 8_000;
    opened.unknown.adopt([{ ...ROW, unknownCount: 1, holdUntilMs, attemptedAtMs: clock.now() }]);
    await heldFor(clock, opened, 1);
    hasReceiver = false;
    assert.equal(await heldFor(clock, opened, awaySeconds), awaySeconds);
    hasReceiver = true;
    const longer = await heldFor(clock, opened, 600);
    assert.ok(longer >= Math.min(awaySeconds, 110) && longer <= 130, `${longer} s after ${awaySeconds} s`);
    opened.unknown.stop();
  }
});

test('hold of another node: statuses could not arrive → two minutes more, however old it is', async () => {
  const clock = createManualClock();
  let hasReceiver = false;
  const opened = openWithOneHeld(clock, 0, { hasReceiver: () => hasReceiver });
  opened.unknown.adopt([{ ...ROW, unknownCount: 1, holdUntilMs: 0, attemptedAtMs: clock.now() - 390_000 }]);
  assert.equal(await heldFor(clock, opened, 10), 10);
  hasReceiver = true;
  const longer = await heldFor(clock, opened, 600);
  opened.unknown.stop();
  assert.ok(longer >= 110 && longer <= 130, `${longer} s`);
});

test('second unknown outcome: the first is learned of later → remains the second', async () => {
  const clock = createManualClock();
  const { scheduler, unknown, postponed, completed } = openWithOneHeld(clock, 8_000);
  const held = { ...ROW, holdUntilMs: clock.now() + 8_000, attemptedAtMs: clock.now() };
  unknown.adopt([{ ...held, unknownCount: 2 }]);
  unknown.add({ ...held, unknownCount: 1, attemptedAtMs: clock.now() - 30_000 });
  for (let second = 0; second < 60; second += 1) {
    clock.advance(1_000);
    unknown.expire();
    await turn();
  }
  unknown.stop();
  assert.deepEqual([postponed, completed], [[], [UNKNOWN_OUTCOME]]);
  assert.equal(scheduler.totals().messages, 0);
});

test('resend: a status has arrived → not sent, unless it may belong to a later message', async () => {
  const clock = createManualClock();
  const attemptedAtMs = clock.now() - 3_600_000;
  let find: Query = async () => [];
  const { unknown } = openWithOneHeld(clock, 30_000, { query: (statement) => find(statement) });
  const foundAfter = (waitMs: number) => {
    find = async () => [{ seq: ROW.seq, wamid: 'w', at: new Date(attemptedAtMs + waitMs) }];
    return unknown.findReported(ROW, attemptedAtMs);
  };
  assert.deepEqual(await foundAfter(1_000), { kind: 'sent', wamid: 'w', reportedAtMs: attemptedAtMs + 1_000 });
  assert.equal(await foundAfter(600_000), undefined);
  find = () => Promise.reject(new Error('away'));
  assert.equal(await unknown.findReported(ROW, attemptedAtMs), 'unanswered');
});

for (const leapMs of [-3_600_000, 3_600_000, 259_200_000]) {
  test(`hold: the clock jumps by ${leapMs / 3_600_000} h → lasts as long as before`, async () => {
    const manual = createManualClock();
    let leaptMs = 0;
    const clock = { ...manual, now: () => manual.now() + leaptMs };
    const { scheduler, unknown } = openWithOneHeld(clock, 30_000);
    unknown.adopt([{ ...ROW, unknownCount: 1, holdUntilMs: clock.now() + 30_000, attemptedAtMs: clock.now() }]);
    leaptMs = leapMs;
    const takenAtMs: number[] = [];
    for (let waits = 0; waits < 200; waits += 1) {
      manual.advance(250);
      unknown.expire();
      await new Promise((resolve) => setImmediate(resolve));
      if (scheduler.take(clock.monotonicMs(), 1).length > 0) takenAtMs.push(clock.monotonicMs());
    }
    unknown.stop();
    const [atMs = 0, ...again] = takenAtMs;
    assert.deepEqual(again, []);
    assert.ok(atMs >= 30_000 && atMs <= 31_000, String(atMs));
  });
}

test('restored queue: a gap without statuses → keeps its hold', async () => {
  const clock = createManualClock();
  const scheduler = new Scheduler();
  const number = { numberId: 1, organizationId: 'o', messagesPerSecond: 80, paused: false, parked: null };
  const settings = {
    get: async () => ({ weight: 1, unknownOutcomePolicy: 'fail' }),
  } as unknown as OrganizationSettings;
  let reachable = true;
  const query = async () => (reachable ? [] : Promise.reject(new Error('away')));
  const db = { query } as unknown as Database;
  const book = new NumberBook({
    ...{ db, clock, scheduler, settings },
    numbers: { findByNumberIds: async () => [number as SendingNumber] },
  });
  const endedAtMs: number[] = [];
  const unknown = new UnknownOutcomes({
    ...{ db, clock, scheduler, settings, book },
    upstream: { platformClock: new PlatformClock(clock) },
    log: pino({ level: 'silent' }),
    recorder: {
      complete: async () => void endedAtMs.push(clock.monotonicMs()),
      postpone: async () => undefined,
    },
    gaps: new StatusGaps({ clock, log: pino({ level: 'silent' }), hasReceiver: async () => true }),
    inFlight: { has: () => false },
    wakeup: { wake() {} },
  });
  // As docs/operations.md describes, for messages accepted just before.
  const nowMs = clock.now();
  const held = [{ ...ROW, unknownCount: 2, holdUntilMs: nowMs + 600_000, attemptedAtMs: nowMs - 60_000 }] as QueueRow[];
  const startMs = clock.monotonicMs();
  await book.open({ numberIds: [1], heads: [], limit: 10, held }, () => 0);
  unknown.adopt(held);
  for (let second = 0; second < 700; second += 1) {
    reachable = second < 10 || second >= 20;
    clock.advance(1_000);
    unknown.expire();
    await new Promise((resolve) => setImmediate(resolve));
  }
  unknown.stop();
  const [endedMs = 0, ...again] = endedAtMs.map((atMs) => atMs - startMs);
  assert.deepEqual(again, []);
  assert.ok(endedMs >= 600_000 && endedMs <= 620_000, String(endedMs));
});
