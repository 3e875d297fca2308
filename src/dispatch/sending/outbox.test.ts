import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { NUMBER } from '../../../test/support/dispatch-number.ts';
import { wabaNotFound } from '../../accounts/index.ts';
import { type Clock, systemClock } from '../../core/time/clock.ts';
import { createTracing } from '../../telemetry/index.ts';
import { PlatformClock, type SendRequest } from '../../upstream/index.ts';
import type { DispatchOutcome } from '../outcomes/dispatch-outcome.ts';
import { type NumberOpening, Scheduler } from '../scheduler/index.ts';
import { StatusGaps } from '../unknown-outcomes/status-gaps.ts';
import { UnknownOutcomes, type UnknownOutcomesDeps } from '../unknown-outcomes/unknown-outcomes.ts';
import { Outbox, type OutboxDeps } from './outbox.ts';

/** The body of a message is cached, and the token of its account is known. */
const READY = {
  bodies: { has: () => true, take: () => '{}' },
  accounts: { tokenOf: () => ({ token: 'token', version: 1 }) },
  throttles: { tell() {} },
  gaps: gapsOf(systemClock),
};
const ROW = {
  ...{ seq: 7, numberId: 1, flowId: 4, contact: '15551230001', messageId: 'm', acceptedAtMs: 0 },
  ...{ attempt: 0, dueAtMs: null },
};
/** A queue in which this message waits. */
const WAITING = { flows: [{ flowId: ROW.flowId, rows: [ROW], more: false }], held: [] };
const READ = { ...ROW, unknownCount: 0, holdUntilMs: null, attemptedAtMs: null };

function gapsOf(clock: Clock): StatusGaps {
  return new StatusGaps({ clock, log: pino({ level: 'silent' }), canBeTold: async () => true });
}

/** Dependencies that an outbox and its unknown outcomes share. */
function surroundings(clock: Clock, scheduler: Scheduler) {
  const log = pino({ level: 'silent' });
  return { clock, gaps: gapsOf(clock), random: Math.random, log, scheduler, tracing: createTracing() };
}

function openNumber(
  scheduler: Scheduler,
  nowMs: number,
  queue: Pick<NumberOpening, 'flows' | 'held'>,
  inFlightMax = 80,
): void {
  scheduler.openNumber(nowMs, {
    ...{ numberId: 1, organizationId: 'o', organizationWeight: 1, ratePerSecond: 80, inFlightMax, paused: false },
    ...queue,
  });
}

function openOutbox({ isHeld, isCurrent }: { isHeld: boolean; isCurrent: boolean }) {
  const completions: [seq: number, outcome: DispatchOutcome][] = [];
  const scheduler = new Scheduler();
  openNumber(scheduler, 0, isHeld ? { flows: [], held: [{ row: ROW, untilMs: 30_000 }] } : WAITING);
  const outbox = new Outbox({
    clock: systemClock,
    scheduler,
    recorder: {
      complete: async ({ seq }: { seq: number }, outcome: DispatchOutcome) => void completions.push([seq, outcome]),
    },
    book: { find: () => NUMBER },
    leases: { isCurrent: () => isCurrent },
    unknown: { findTold: async () => undefined },
    changed() {},
  } as unknown as OutboxDeps);
  return { outbox, scheduler, completions };
}

test('abandon: a waiting message → ended and forgotten', async () => {
  const { outbox, scheduler, completions } = openOutbox({ isHeld: false, isCurrent: true });
  assert.equal(await outbox.abandon(READ, 'cancelled'), true);
  assert.deepEqual(
    completions.map(([seq, outcome]) => [seq, outcome.kind === 'failed' && outcome.errorCode]),
    [[7, 'CANCELLED']],
  );
  assert.equal(scheduler.totals().messages, 0);
});

test('abandon: an unknown outcome since the row was read → refused, it may have been sent', async () => {
  const { outbox, completions } = openOutbox({ isHeld: true, isCurrent: true });
  assert.equal(await outbox.abandon(READ, 'cancelled'), false);
  assert.deepEqual(completions, []);
});

test('abandon: the lease has expired → refused, another node may be sending it', async () => {
  const { outbox, completions } = openOutbox({ isHeld: false, isCurrent: false });
  assert.equal(await outbox.abandon(READ, 'expired'), false);
  assert.deepEqual(completions, []);
});

test('message: still being journaled when its number is reopened → not started a second time', async () => {
  const answers: (() => void)[] = [];
  const scheduler = new Scheduler();
  const open = () => openNumber(scheduler, 0, WAITING);
  let epoch = 1;
  const outbox = new Outbox({
    clock: systemClock,
    log: pino({ level: 'silent' }),
    scheduler,
    db: { query: () => new Promise((resolve) => answers.push(() => resolve([{ leases: 0 }]))) },
    bodies: { has: () => true },
    upstream: { platformClock: new PlatformClock(systemClock) },
    recorder: { finishJournal() {} },
    book: { find: () => NUMBER },
    leases: { isCurrent: () => true, epochOf: () => epoch },
    unknown: { endHere() {}, findTold: async () => undefined },
    changed() {},
  } as unknown as OutboxDeps);
  open();
  const first = outbox.dispatch(scheduler.take(0, 1));
  scheduler.closeNumber(1);
  epoch = 2;
  open();
  void outbox.dispatch(scheduler.take(0, 1));
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
  const entry = {
    leases: 1,
    message_id: 'm',
    expires_at: new Date(clock.now() + 86_400_000),
    unknown_count: 0,
    body: '{}',
  };
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let posts = 0;
  const shared = {
    ...surroundings(clock, scheduler),
    db: {
      query: async ({ name }: { name: string }) => {
        if (!name.startsWith('dispatch_journal')) return [];
        await journaled.promise;
        return [entry];
      },
    },
    recorder: { postpone: async () => undefined, finishJournal() {}, note() {} },
    book: { find: () => NUMBER, findGate: () => undefined, notePace() {} },
    settings: { get: () => ({ unknownOutcomePolicy: 'resend' }) },
    upstream: {
      platformClock: new PlatformClock(clock),
      sendMessage: async (request: SendRequest) => {
        request.mayWrite?.();
        posts += 1;
        return { kind: 'unknown', reason: 'connection_lost' };
      },
    },
    changed: () => scheduler.totals().inFlight === 0 && posts > 0 && end(),
  };
  const unknown = new UnknownOutcomes(shared as unknown as UnknownOutcomesDeps);
  const outbox = new Outbox({
    ...READY,
    ...shared,
    metrics: { outcomes: { unknown: { inc() {} } }, upstreamSeconds: { observe() {} } },
    leases: { isCurrent: () => true, epochOf: () => 1, holds: () => true },
    unknown,
  } as unknown as OutboxDeps);
  open();
  const first = outbox.dispatch(scheduler.take(clock.monotonicMs(), 1));
  scheduler.closeNumber(1);
  open();
  await outbox.dispatch(scheduler.take(clock.monotonicMs(), 1));
  journaled.resolve();
  await first;
  await ended;
  clock.advance(1_000);
  const again = scheduler.take(clock.monotonicMs(), 1);
  await outbox.dispatch(again);
  await setImmediate();
  assert.equal(posts, 1);
  assert.equal(scheduler.totals().held, 1);
  unknown.stop();
});

for (const isKnown of [true, false]) {
  const told = isKnown ? 'remains the time known then' : 'is corrected once the clock is known';
  test(`attempt: the machine is suspended after it → its start ${told}`, async () => {
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
    const expiresAt = new Date(clock.now() + 86_400_000);
    const entry = { leases: 1, message_id: 'm', expires_at: expiresAt, unknown_count: 0, body: '{}' };
    const askedSinceMs: number[] = [];
    const notedMs: (number | null)[] = [];
    const shared = {
      ...surroundings(clock, scheduler),
      db: {
        query: async ({ name, values }: { name: string; values: unknown[] }) => {
          if (name === 'early_status_find_settling') askedSinceMs.push((values[5] as Date[])[0]?.getTime() ?? 0);
          return name.startsWith('dispatch_journal') ? [entry] : [];
        },
      },
      recorder: {
        postpone: async ({ attemptedAtMs }: { attemptedAtMs: number | null }) => void notedMs.push(attemptedAtMs),
        ...{ finishJournal() {}, note() {} },
      },
      book: { find: () => NUMBER, findGate: () => undefined, notePace() {} },
      upstream: {
        platformClock,
        sendMessage: async (request: SendRequest) => {
          request.mayWrite?.();
          // Suspended before the answer arrives: the monotonic clock stops.
          if (isKnown) suspendedMs = 60_000;
          return { kind: 'unknown', reason: 'connection_lost' };
        },
      },
      changed() {},
    };
    const unknown = new UnknownOutcomes(shared as unknown as UnknownOutcomesDeps);
    const outbox = new Outbox({
      ...READY,
      ...shared,
      metrics: { outcomes: { unknown: { inc() {} } }, upstreamSeconds: { observe() {} } },
      leases: { isCurrent: () => true, epochOf: () => 1, holds: () => true },
      unknown,
    } as unknown as OutboxDeps);
    if (isKnown) learn();
    const beganAtMs = manual.now();
    await outbox.dispatch(scheduler.take(clock.monotonicMs(), 1));
    await setImmediate();
    manual.advance(100);
    for (let answers = 0; answers < 2; answers += 1) learn();
    manual.advance(1_000);
    await setImmediate();
    unknown.stop();
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
  const shared = {
    ...{ clock, gaps: gapsOf(clock), log: pino({ level: 'silent' }), scheduler },
    db: { query: ({ name }: { name: string }) => (name.startsWith('dispatch_journal') ? journaled.promise : []) },
    recorder: { postpone: async () => undefined, finishJournal() {} },
    book: { find: () => NUMBER },
    upstream: { platformClock: new PlatformClock(clock) },
    changed() {},
  };
  const unknown = new UnknownOutcomes(shared as unknown as UnknownOutcomesDeps);
  const outbox = new Outbox({
    ...shared,
    bodies: { has: () => true },
    leases: { isCurrent: () => true, epochOf: () => 1 },
    unknown,
  } as unknown as OutboxDeps);
  open(WAITING);
  const dispatched = outbox.dispatch(scheduler.take(clock.monotonicMs(), 1));
  scheduler.closeNumber(1);
  clock.advance(8_000);
  open({ flows: [], held: [{ row: ROW, untilMs: clock.monotonicMs() + 30_000 }] });
  const holdUntilMs = clock.now() + 30_000;
  unknown.adopt([{ ...READ, unknownCount: 1, holdUntilMs, attemptedAtMs: clock.now() - 1_000 }]);
  journaled.reject(new Error('the connection is dead'));
  await setImmediate();
  clock.advance(1_000);
  await dispatched;
  assert.equal(scheduler.totals().held, 1);
  assert.deepEqual(scheduler.take(clock.monotonicMs(), 1), []);
  unknown.stop();
});

test('resend: it could not leave and its shard was lost and regained → sent again', async () => {
  const clock = createManualClock();
  const scheduler = new Scheduler();
  const open = (queue: Pick<NumberOpening, 'flows' | 'held'>) => openNumber(scheduler, clock.monotonicMs(), queue);
  const expiresAt = new Date(clock.now() + 86_400_000);
  const attemptedAt = new Date(clock.now() - 60_000);
  const entry = { leases: 1, message_id: 'm', expires_at: expiresAt, unknown_count: 1, attempted_at: attemptedAt };
  const answer = Promise.withResolvers<void>();
  const putBack = Promise.withResolvers<object>();
  const shared = {
    ...surroundings(clock, scheduler),
    db: { query: async ({ name }: { name: string }) => (name.startsWith('dispatch_journal') ? [entry] : []) },
    recorder: { postpone: async (row: object) => putBack.resolve(row), finishJournal() {}, note() {} },
    book: { find: () => NUMBER, findGate: () => undefined, throttle() {} },
    upstream: {
      platformClock: new PlatformClock(clock),
      sendMessage: async () => {
        await answer.promise;
        return { kind: 'unsent', reason: 'connect' };
      },
    },
    changed() {},
  };
  const unknown = new UnknownOutcomes(shared as unknown as UnknownOutcomesDeps);
  const outbox = new Outbox({
    ...READY,
    ...shared,
    metrics: { outcomes: { unsent: { inc() {} } }, upstreamSeconds: { observe() {} } },
    leases: { isCurrent: () => true, epochOf: () => 1, holds: () => true },
    unknown,
  } as unknown as OutboxDeps);
  open(WAITING);
  await outbox.dispatch(scheduler.take(clock.monotonicMs(), 1));
  scheduler.closeNumber(1);
  const held = { ...ROW, unknownCount: 2, attemptedAtMs: clock.now(), holdUntilMs: clock.now() + 30_000 };
  open({ flows: [], held: [{ row: held, untilMs: clock.monotonicMs() + 30_000 }] });
  unknown.adopt([held]);
  shared.gaps.notePlatform(false);
  clock.advance(5_000);
  answer.resolve();
  assert.partialDeepStrictEqual(await putBack.promise, {
    ...{ unknownCount: 1, holdUntilMs: null },
    attemptedAtMs: attemptedAt.getTime(),
  });
  unknown.stop();
});

test('expired message: found by the journal → the next one gets its slot at once', async () => {
  const scheduler = new Scheduler();
  openNumber(
    scheduler,
    0,
    { flows: [{ flowId: ROW.flowId, rows: [ROW, { ...ROW, seq: 8, messageId: 'next' }], more: false }], held: [] },
    1,
  );
  const journaled = { leases: 1, message_id: 'm', expires_at: new Date(0), cancelled: false, unknown_count: 0 };
  const { promise: goesOn, resolve } = Promise.withResolvers<number | undefined>();
  const outbox = new Outbox({
    clock: systemClock,
    log: pino({ level: 'silent' }),
    scheduler,
    db: { query: async () => [journaled] },
    bodies: { has: () => true },
    upstream: { platformClock: new PlatformClock(systemClock) },
    recorder: { complete: async () => undefined, finishJournal() {} },
    book: { find: () => NUMBER },
    leases: { isCurrent: () => true, epochOf: () => 1 },
    unknown: { endHere() {}, findTold: async () => undefined },
    changed: () => resolve(scheduler.take(systemClock.monotonicMs() + 1_000, 1)[0]?.seq),
  } as unknown as OutboxDeps);
  await outbox.dispatch(scheduler.take(0, 1));
  assert.equal(await goesOn, 8);
});

test('message: expires between the journal and the first byte → withheld, then EXPIRED', async () => {
  const clock = createManualClock();
  const scheduler = new Scheduler();
  openNumber(scheduler, clock.monotonicMs(), WAITING, 1);
  const journaled = { leases: 1, message_id: 'm', expires_at: new Date(clock.now() + 1_000), unknown_count: 0 };
  const mayWrite: (boolean | undefined)[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<DispatchOutcome>();
  const again = Promise.withResolvers<void>();
  const outbox = new Outbox({
    ...READY,
    ...surroundings(clock, scheduler),
    db: { query: async () => [journaled] },
    upstream: {
      platformClock: new PlatformClock(clock),
      sendMessage: async (request: SendRequest) => {
        mayWrite.push(request.mayWrite?.());
        clock.advance(1_000);
        mayWrite.push(request.mayWrite?.());
        return { kind: 'unsent', reason: 'withheld' };
      },
    },
    metrics: { outcomes: { unsent: { inc() {} } }, upstreamSeconds: { observe() {} } },
    recorder: { complete: async (_: object, outcome: DispatchOutcome) => end(outcome), finishJournal() {}, note() {} },
    book: { find: () => NUMBER, findGate: () => undefined, notePace() {} },
    leases: { isCurrent: () => true, epochOf: () => 1, holds: () => true },
    unknown: { endHere() {}, findTold: async () => undefined },
    changed: again.resolve,
  } as unknown as OutboxDeps);
  await outbox.dispatch(scheduler.take(clock.monotonicMs(), 1));
  await again.promise;
  assert.deepEqual(mayWrite, [true, false]);
  await outbox.dispatch(scheduler.take(clock.monotonicMs(), 1));
  assert.partialDeepStrictEqual(await ended, { kind: 'failed', errorCode: 'EXPIRED' });
});

test('message: its number is parked after the journal → not sent', async () => {
  const scheduler = new Scheduler();
  openNumber(scheduler, 0, WAITING, 1);
  let number = NUMBER;
  const journaled = { leases: 1, message_id: 'm', expires_at: new Date(Date.now() + 60_000), unknown_count: 0 };
  const { promise: mayWrite, resolve: asked } = Promise.withResolvers<boolean | undefined>();
  const outbox = new Outbox({
    ...{ clock: systemClock, random: Math.random, log: pino({ level: 'silent' }), scheduler, tracing: createTracing() },
    db: { query: async () => [journaled] },
    ...READY,
    upstream: {
      platformClock: new PlatformClock(systemClock),
      sendMessage: async (request: SendRequest) => {
        number = { ...NUMBER, parked: { code: '190', reason: 'The token has expired.' } };
        asked(request.mayWrite?.());
        return { kind: 'unsent', reason: 'withheld' };
      },
    },
    metrics: { outcomes: { unsent: { inc() {} } }, upstreamSeconds: { observe() {} } },
    recorder: { finishJournal() {}, note() {} },
    book: { find: () => number, findGate: () => undefined, notePace() {} },
    leases: { isCurrent: () => true, epochOf: () => 1, holds: () => true },
    unknown: { endHere() {}, findTold: async () => undefined },
    changed() {},
  } as unknown as OutboxDeps);
  await outbox.dispatch(scheduler.take(0, 1));
  assert.equal(await mayWrite, false);
});

for (const [what, act, told] of [
  ['written in full → counts for its number from then', ['mayWrite', 'wrote'], ['wrote', 'end']],
  ['lost during the write → counts for its number once that is known', ['mayWrite'], ['end', 'wrote']],
  ['never begun to be written → gives its turn to another', [], ['end', 'gaveUp']],
] as const) {
  test(`message: ${what}`, async () => {
    const scheduler = new Scheduler();
    openNumber(scheduler, 0, WAITING, 1);
    const journaled = { leases: 1, message_id: 'm', expires_at: new Date(Date.now() + 60_000), unknown_count: 0 };
    const seen: string[] = [];
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const gate = { enter: async () => {}, wrote: () => seen.push('wrote'), gaveUp: () => seen.push('gaveUp') };
    const outbox = new Outbox({
      ...{
        clock: systemClock,
        random: Math.random,
        log: pino({ level: 'silent' }),
        scheduler,
        tracing: createTracing(),
      },
      db: { query: async () => [journaled] },
      ...READY,
      upstream: {
        platformClock: new PlatformClock(systemClock),
        sendMessage: async (request: SendRequest) => {
          for (const step of act) request[step]?.();
          seen.push('end');
          return { kind: 'unsent', reason: 'withheld' };
        },
      },
      metrics: { outcomes: { unsent: { inc() {} } }, upstreamSeconds: { observe() {} } },
      recorder: { postpone: async () => undefined, finishJournal() {}, note() {} },
      book: { find: () => NUMBER, findGate: () => gate, notePace() {} },
      leases: { isCurrent: () => true, epochOf: () => 1, holds: () => true },
      unknown: { endHere() {}, findTold: async () => undefined },
      changed: end,
    } as unknown as OutboxDeps);
    await outbox.dispatch(scheduler.take(0, 1));
    await ended;
    assert.deepEqual(seen, told);
  });
}

for (const [what, error, isTold] of [
  ['disconnected a moment ago', wabaNotFound(), false],
  ['unreadable', new Error('the connection is dead'), true],
] as const) {
  test(`token: account ${what} → message waits, ${isTold ? 'logged' : 'nothing logged'}`, async () => {
    const scheduler = new Scheduler();
    openNumber(scheduler, 0, WAITING, 1);
    const logged: string[] = [];
    const journaled = { leases: 1, message_id: 'm', expires_at: new Date(Date.now() + 60_000), unknown_count: 0 };
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const outbox = new Outbox({
      clock: systemClock,
      log: pino({ level: 'warn' }, { write: (line) => logged.push(line) }),
      scheduler,
      db: { query: async () => [journaled] },
      bodies: { has: () => true, take: () => '{}' },
      accounts: {
        tokenOf() {
          throw error;
        },
      },
      upstream: { platformClock: new PlatformClock(systemClock) },
      recorder: { finishJournal() {} },
      book: { find: () => NUMBER },
      throttles: READY.throttles,
      leases: { isCurrent: () => true, epochOf: () => 1 },
      unknown: { endHere() {}, findTold: async () => undefined },
      changed: end,
    } as unknown as OutboxDeps);
    await outbox.dispatch(scheduler.take(0, 1));
    await ended;
    assert.equal(logged.length, isTold ? 1 : 0, logged[0]);
    assert.equal(scheduler.take(systemClock.monotonicMs() + 10_000, 1)[0]?.seq, ROW.seq);
  });
}
