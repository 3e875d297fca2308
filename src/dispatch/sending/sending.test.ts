import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import {
  JOURNALED,
  openAbandoner,
  openNumber,
  partsAround,
  partsWithUnknown,
  READ,
  ROW,
  WAITING,
} from '../../../test/support/sending-parts.ts';
import { systemClock } from '../../core/time/clock.ts';
import { PlatformClock } from '../../upstream/index.ts';
import { type NumberOpening, Scheduler } from '../scheduler/index.ts';
import { createSending } from './create-sending.ts';

test('abandon: a waiting message → ended and forgotten', async () => {
  const { abandoner, scheduler, completions } = openAbandoner({ isHeld: false, isCurrent: true });
  assert.equal(await abandoner.abandon(READ, 'cancelled'), true);
  assert.deepEqual(
    completions.map(([seq, outcome]) => [seq, outcome.kind === 'failed' && outcome.errorCode]),
    [[7, 'CANCELLED']],
  );
  assert.equal(scheduler.totals().messages, 0);
});

test('abandon: an unknown outcome since the row was read → refused, it may have been sent', async () => {
  const { abandoner, completions } = openAbandoner({ isHeld: true, isCurrent: true });
  assert.equal(await abandoner.abandon(READ, 'cancelled'), false);
  assert.deepEqual(completions, []);
});

test('abandon: the lease has expired → refused, another node may be sending it', async () => {
  const { abandoner, completions } = openAbandoner({ isHeld: false, isCurrent: false });
  assert.equal(await abandoner.abandon(READ, 'expired'), false);
  assert.deepEqual(completions, []);
});

test('message: still being journaled when its number is reopened → not started a second time', async () => {
  const answers: (() => void)[] = [];
  const scheduler = new Scheduler();
  const open = () => openNumber(scheduler, 0, WAITING);
  let epoch = 1;
  const parts = partsAround({
    ...{ clock: systemClock, scheduler },
    query: () => new Promise((resolve) => answers.push(() => resolve([{ leases: 0 }]))),
  });
  const { journal } = createSending({ ...parts, leases: { ...parts.leases, epochOf: () => epoch } });
  open();
  const first = journal.dispatch(scheduler.take(0, 1));
  scheduler.closeNumber(1);
  epoch = 2;
  open();
  void journal.dispatch(scheduler.take(0, 1));
  assert.equal(answers.length, 1);
  answers[0]?.();
  await first;
  assert.equal(scheduler.take(systemClock.monotonicMs() + 10_000, 1).length, 1);
});

test('message: journaled before its number is reopened, outcome unknown → held', async () => {
  const clock = createManualClock();
  const scheduler = new Scheduler();
  const open = () => openNumber(scheduler, clock.monotonicMs(), WAITING);
  const journaled = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let posts = 0;
  const parts = partsWithUnknown({
    ...{ clock, scheduler },
    async query({ name }) {
      if (!name.startsWith('dispatch_journal')) return [];
      await journaled.promise;
      return [JOURNALED];
    },
    async post(request) {
      request.mayWrite?.();
      posts += 1;
      return { kind: 'unknown', reason: 'connection_lost' };
    },
    wakeup: { wake: () => scheduler.totals().inFlight === 0 && posts > 0 && end() },
  });
  const { journal } = createSending(parts);
  open();
  const first = journal.dispatch(scheduler.take(clock.monotonicMs(), 1));
  scheduler.closeNumber(1);
  open();
  await journal.dispatch(scheduler.take(clock.monotonicMs(), 1));
  journaled.resolve();
  await first;
  await ended;
  clock.advance(1_000);
  const again = scheduler.take(clock.monotonicMs(), 1);
  await journal.dispatch(again);
  await setImmediate();
  assert.equal(posts, 1);
  assert.equal(scheduler.totals().held, 1);
  parts.unknown.stop();
});

for (const isKnown of [true, false]) {
  const effect = isKnown ? 'remains the time known then' : 'is corrected once the clock is known';
  test(`attempt: the machine is suspended after it → its start ${effect}`, async () => {
    const manual = createManualClock();
    let suspendedMs = 0;
    const machineAheadMs = isKnown ? 0 : 60_000;
    const clock = { ...manual, now: () => manual.now() + suspendedMs + machineAheadMs };
    const platformClock = new PlatformClock(clock);
    const learn = () => {
      const date = new Date(manual.now() + suspendedMs).toUTCString();
      platformClock.learn(date, clock.monotonicMs(), clock.monotonicMs());
    };
    const scheduler = new Scheduler();
    openNumber(scheduler, clock.monotonicMs(), WAITING);
    const askedSinceMs: number[] = [];
    const notedMs: (number | null)[] = [];
    const parts = partsWithUnknown({
      ...{ clock, scheduler },
      async query({ name, values }) {
        if (name === 'early_status_find_settling') askedSinceMs.push((values[5] as Date[])[0]?.getTime() ?? 0);
        return name.startsWith('dispatch_journal') ? [JOURNALED] : [];
      },
      recorder: {
        async postpone({ attemptedAtMs }) {
          notedMs.push(attemptedAtMs);
          return undefined;
        },
        ...{ complete: async () => undefined, finishJournal() {}, hasEnded: () => false, note() {} },
      },
      upstream: {
        platformClock,
        async sendMessage(request) {
          request.mayWrite?.();
          // Suspended before the answer arrives: the monotonic clock stops.
          if (isKnown) suspendedMs = 60_000;
          return { kind: 'unknown', reason: 'connection_lost' };
        },
      },
    });
    const { journal } = createSending(parts);
    if (isKnown) learn();
    const beganAtMs = manual.now();
    await journal.dispatch(scheduler.take(clock.monotonicMs(), 1));
    await setImmediate();
    manual.advance(100);
    for (let answers = 0; answers < 2; answers += 1) learn();
    manual.advance(1_000);
    await setImmediate();
    parts.unknown.stop();
    const [sinceMs = 0] = askedSinceMs.slice(-1);
    assert.ok(sinceMs < beganAtMs && sinceMs > beganAtMs - 10_000, `${sinceMs - beganAtMs} ms`);
    if (isKnown) assert.ok(Math.abs((notedMs[0] ?? 0) - beganAtMs) < 1_000, 'a later owner uses the same time');
  });
}

test("message: journal failed before a reopening → stays held for another node's attempt", async () => {
  const clock = createManualClock();
  const scheduler = new Scheduler();
  const open = (queue: Pick<NumberOpening, 'flows' | 'held'>) => openNumber(scheduler, clock.monotonicMs(), queue);
  const journaled = Promise.withResolvers<never>();
  const parts = partsWithUnknown({
    ...{ clock, scheduler },
    query: async ({ name }) => (name.startsWith('dispatch_journal') ? journaled.promise : []),
  });
  const { journal } = createSending(parts);
  open(WAITING);
  const dispatched = journal.dispatch(scheduler.take(clock.monotonicMs(), 1));
  scheduler.closeNumber(1);
  clock.advance(8_000);
  open({ flows: [], held: [{ row: ROW, untilMs: clock.monotonicMs() + 30_000 }] });
  const holdUntilMs = clock.now() + 30_000;
  parts.unknown.adopt([{ ...READ, unknownCount: 1, holdUntilMs, attemptedAtMs: clock.now() - 1_000 }]);
  journaled.reject(new Error('the connection is dead'));
  await setImmediate();
  clock.advance(1_000);
  await dispatched;
  assert.equal(scheduler.totals().held, 1);
  assert.deepEqual(scheduler.take(clock.monotonicMs(), 1), []);
  parts.unknown.stop();
});

test('resend: it could not leave and its shard was lost and regained → sent again', async () => {
  const clock = createManualClock();
  const scheduler = new Scheduler();
  const open = (queue: Pick<NumberOpening, 'flows' | 'held'>) => openNumber(scheduler, clock.monotonicMs(), queue);
  const attemptedAt = new Date(clock.now() - 60_000);
  const entry = { ...JOURNALED, unknown_count: 1, attempted_at: attemptedAt };
  const answer = Promise.withResolvers<void>();
  const putBack = Promise.withResolvers<object>();
  const parts = partsWithUnknown({
    ...{ clock, scheduler },
    query: async ({ name }) => (name.startsWith('dispatch_journal') ? [entry] : []),
    recorder: {
      async postpone(row) {
        putBack.resolve(row);
        return undefined;
      },
      ...{ complete: async () => undefined, finishJournal() {}, hasEnded: () => false, note() {} },
    },
    async post() {
      await answer.promise;
      return { kind: 'unsent', reason: 'connect' };
    },
  });
  const { journal } = createSending(parts);
  open(WAITING);
  await journal.dispatch(scheduler.take(clock.monotonicMs(), 1));
  scheduler.closeNumber(1);
  const held = { ...ROW, unknownCount: 2, attemptedAtMs: clock.now(), holdUntilMs: clock.now() + 30_000 };
  open({ flows: [], held: [{ row: held, untilMs: clock.monotonicMs() + 30_000 }] });
  parts.unknown.adopt([held]);
  parts.gaps.notePlatform(false);
  clock.advance(5_000);
  answer.resolve();
  assert.partialDeepStrictEqual(await putBack.promise, {
    ...{ unknownCount: 1, holdUntilMs: null },
    attemptedAtMs: attemptedAt.getTime(),
  });
  parts.unknown.stop();
});
