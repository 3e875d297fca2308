import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { NUMBER } from '../../../test/support/dispatch-number.ts';
import { wabaNotFound } from '../../accounts/index.ts';
import { type Clock, systemClock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import type { OrganizationSettings } from '../../organizations/index.ts';
import { createMetrics, createTracing } from '../../telemetry/index.ts';
import { PlatformClock, type SendOutcome, type SendRequest } from '../../upstream/index.ts';
import type { WriteGate } from '../numbers/write-gate.ts';
import { createDispatchMetrics } from '../outcomes/dispatch-metrics.ts';
import type { DispatchOutcome } from '../outcomes/dispatch-outcome.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import { type NumberOpening, Scheduler } from '../scheduler/index.ts';
import { InFlight } from '../unknown-outcomes/in-flight.ts';
import { StatusGaps } from '../unknown-outcomes/status-gaps.ts';
import { UnknownOutcomes } from '../unknown-outcomes/unknown-outcomes.ts';
import { createSending, type SendingParts } from './create-sending.ts';

const ROW = {
  ...{ seq: 7, numberId: 1, flowId: 4, contact: '15551230001', messageId: 'm', acceptedAtMs: 0 },
  ...{ attempt: 0, dueAtMs: null },
};
/** A queue in which this message waits. */
const WAITING = { flows: [{ flowId: ROW.flowId, rows: [ROW], more: false }], held: [] };
const READ: QueueRow = { ...ROW, unknownCount: 0, holdUntilMs: null, attemptedAtMs: null };
/** The message's row as the journal returns it. */
const JOURNALED = {
  leases: 1,
  message_id: 'm',
  unknown_count: 0,
  attempt: 0,
  expires_at: new Date(8.64e15),
  body: '{}',
};

type Query = (statement: { name: string; values: unknown[] }) => Promise<unknown[]>;
type Post = (request: SendRequest) => Promise<SendOutcome>;

interface Around extends Partial<SendingParts> {
  clock: Clock;
  scheduler: Scheduler;
  /** Answers of the database; by default the journal finds the message. */
  query?: Query;
  post?: Post;
}

/** Parts around one message: its body is cached, its token is known, and its number may send. */
function partsAround({ clock, scheduler, query, post, ...given }: Around): SendingParts {
  const db = { query: query ?? (async () => [JOURNALED]) } as unknown as Database;
  const log = pino({ level: 'silent' });
  return {
    ...{ db, clock, log, scheduler, random: Math.random, nodeId: 'node', inFlight: new InFlight() },
    accounts: { tokenOf: () => ({ token: 'token', version: 1, readAt: null }) },
    bodies: { has: () => true, take: () => ({ body: '{}', [Symbol.dispose]() {} }), takesLarge: () => true },
    book: bookOf(() => NUMBER),
    gaps: gapsOf(clock),
    leases: { isCurrent: () => true, epochOf: () => 1, holds: () => true },
    metrics: createDispatchMetrics(createMetrics()),
    recorder: { complete: async () => undefined, finishJournal() {}, note() {}, postpone: async () => undefined },
    throttles: { send() {} },
    tracing: createTracing(),
    unknown: {
      add() {},
      attemptedAtMs: ({ attemptedAtMs }) => attemptedAtMs,
      endHere() {},
      findReported: async () => undefined,
    },
    upstream: { platformClock: new PlatformClock(clock), sendMessage: post ?? (() => assert.fail('nothing is sent')) },
    wakeup: { wake() {} },
    ...given,
  };
}

function bookOf(find: () => typeof NUMBER): SendingParts['book'] {
  return {
    ...{ find, findGate: () => undefined, listAccount: () => [], refresh: async () => undefined },
    ...{ chargeHeldUp() {}, notePace() {} },
  };
}

function gapsOf(clock: Clock): StatusGaps {
  return new StatusGaps({ clock, log: pino({ level: 'silent' }), hasReceiver: async () => true });
}

/** Parts in which unknown outcomes are held and decided. */
function partsWithUnknown(around: Around) {
  const parts = partsAround(around);
  const gaps = gapsOf(parts.clock);
  const settings = { get: () => ({ unknownOutcomePolicy: 'resend' }) } as unknown as OrganizationSettings;
  const unknown = new UnknownOutcomes({ ...parts, gaps, settings });
  return { ...parts, gaps, unknown };
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

function openAbandoner({ isHeld, isCurrent }: { isHeld: boolean; isCurrent: boolean }) {
  const completions: [seq: number, outcome: DispatchOutcome][] = [];
  const scheduler = new Scheduler();
  openNumber(scheduler, 0, isHeld ? { flows: [], held: [{ row: ROW, untilMs: 30_000 }] } : WAITING);
  const parts = partsAround({ clock: systemClock, scheduler });
  const { abandoner } = createSending({
    ...parts,
    recorder: { ...parts.recorder, complete: async ({ seq }, outcome) => void completions.push([seq, outcome]) },
    leases: { ...parts.leases, isCurrent: () => isCurrent },
  });
  return { abandoner, scheduler, completions };
}

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
        ...{ complete: async () => undefined, finishJournal() {}, note() {} },
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
      ...{ complete: async () => undefined, finishJournal() {}, note() {} },
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

test('expired message: found by the journal → the next one gets its slot at once', async () => {
  const scheduler = new Scheduler();
  openNumber(
    scheduler,
    0,
    { flows: [{ flowId: ROW.flowId, rows: [ROW, { ...ROW, seq: 8, messageId: 'next' }], more: false }], held: [] },
    1,
  );
  const { promise: goesOn, resolve } = Promise.withResolvers<number | undefined>();
  const { journal } = createSending(
    partsAround({
      ...{ clock: systemClock, scheduler },
      query: async () => [{ ...JOURNALED, expires_at: new Date(0), cancelled: false }],
      wakeup: { wake: () => resolve(scheduler.take(systemClock.monotonicMs() + 1_000, 1)[0]?.seq) },
    }),
  );
  await journal.dispatch(scheduler.take(0, 1));
  assert.equal(await goesOn, 8);
});

test('message: expires between the journal and the first byte → withheld, then EXPIRED', async () => {
  const clock = createManualClock();
  const scheduler = new Scheduler();
  openNumber(scheduler, clock.monotonicMs(), WAITING, 1);
  const expiresAt = new Date(clock.now() + 1_000);
  const mayWrite: (boolean | undefined)[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<DispatchOutcome>();
  const again = Promise.withResolvers<void>();
  const parts = partsAround({
    ...{ clock, scheduler },
    query: async () => [{ ...JOURNALED, expires_at: expiresAt }],
    async post(request) {
      mayWrite.push(request.mayWrite?.());
      clock.advance(1_000);
      mayWrite.push(request.mayWrite?.());
      return { kind: 'unsent', reason: 'withheld' };
    },
    wakeup: { wake: again.resolve },
  });
  const { journal } = createSending({
    ...parts,
    recorder: { ...parts.recorder, complete: async (_, outcome) => end(outcome) },
  });
  await journal.dispatch(scheduler.take(clock.monotonicMs(), 1));
  await again.promise;
  assert.deepEqual(mayWrite, [true, false]);
  await journal.dispatch(scheduler.take(clock.monotonicMs(), 1));
  assert.partialDeepStrictEqual(await ended, { kind: 'failed', errorCode: 'EXPIRED' });
});

test('message: its number is parked after the journal → not sent', async () => {
  const scheduler = new Scheduler();
  openNumber(scheduler, 0, WAITING, 1);
  let number = NUMBER;
  const { promise: mayWrite, resolve: asked } = Promise.withResolvers<boolean | undefined>();
  const { journal } = createSending(
    partsAround({
      ...{ clock: systemClock, scheduler },
      async post(request) {
        number = { ...NUMBER, parked: { code: '190', reason: 'The token has expired.' } };
        asked(request.mayWrite?.());
        return { kind: 'unsent', reason: 'withheld' };
      },
      book: bookOf(() => number),
    }),
  );
  await journal.dispatch(scheduler.take(0, 1));
  assert.equal(await mayWrite, false);
});

test('message: the journal finds its number paused → waits, and the number is read again', async () => {
  const scheduler = new Scheduler();
  openNumber(scheduler, 0, WAITING, 1);
  const read: boolean[] = [];
  const refresh: SendingParts['book']['refresh'] = async (concerns) =>
    void read.push(concerns?.(NUMBER) ?? false, concerns?.({ ...NUMBER, numberId: 2 }) ?? false);
  const { journal } = createSending(
    partsAround({
      ...{ clock: systemClock, scheduler },
      query: async () => [{ ...JOURNALED, paused: true }],
      book: { ...bookOf(() => NUMBER), refresh },
    }),
  );
  await journal.dispatch(scheduler.take(0, 1));
  assert.deepEqual(read, [true, false]);
  assert.equal(scheduler.take(systemClock.monotonicMs() + 10_000, 1)[0]?.seq, ROW.seq);
});

for (const [what, act, calls] of [
  ['written in full → counts for its number from then', ['mayWrite', 'wrote'], ['wrote', 'end']],
  ['lost during the write → counts for its number once that is known', ['mayWrite'], ['end', 'wrote']],
  ['never begun to be written → gives its turn to another', [], ['end', 'gaveUp']],
] as const) {
  test(`message: ${what}`, async () => {
    const scheduler = new Scheduler();
    openNumber(scheduler, 0, WAITING, 1);
    const seen: string[] = [];
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const gate = {
      ...{ enter: async () => {}, wrote: () => seen.push('wrote'), gaveUp: () => seen.push('gaveUp') },
    } as unknown as WriteGate;
    const { journal } = createSending(
      partsAround({
        ...{ clock: systemClock, scheduler },
        async post(request) {
          for (const step of act) request[step]?.();
          seen.push('end');
          return { kind: 'unsent', reason: 'withheld' };
        },
        book: { ...bookOf(() => NUMBER), findGate: () => gate },
        wakeup: { wake: end },
      }),
    );
    await journal.dispatch(scheduler.take(0, 1));
    await ended;
    assert.deepEqual(seen, calls);
  });
}

for (const [what, error, isLogged] of [
  ['disconnected a moment ago', wabaNotFound(), false],
  ['unreadable', new Error('the connection is dead'), true],
] as const) {
  test(`token: account ${what} → message waits, ${isLogged ? 'logged' : 'nothing logged'}`, async () => {
    const scheduler = new Scheduler();
    openNumber(scheduler, 0, WAITING, 1);
    const logged: string[] = [];
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { journal } = createSending(
      partsAround({
        ...{ clock: systemClock, scheduler },
        log: pino({ level: 'warn' }, { write: (line) => logged.push(line) }),
        accounts: {
          tokenOf() {
            throw error;
          },
        },
        wakeup: { wake: end },
      }),
    );
    await journal.dispatch(scheduler.take(0, 1));
    await ended;
    assert.equal(logged.length, isLogged ? 1 : 0, logged[0]);
    assert.equal(scheduler.take(systemClock.monotonicMs() + 10_000, 1)[0]?.seq, ROW.seq);
  });
}
