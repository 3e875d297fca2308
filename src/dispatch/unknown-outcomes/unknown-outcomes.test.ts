import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createManualClock, type ManualClock } from '../../../test/harness/manual-clock.ts';
import { NUMBER } from '../../../test/support/dispatch-number.ts';
import type { SendingNumber } from '../../accounts/index.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import type { OrganizationSettings } from '../../organizations/index.ts';
import { PlatformClock } from '../../upstream/index.ts';
import { NumberBook } from '../numbers/number-book.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import { Scheduler } from '../scheduler/index.ts';
import { StatusGaps } from './status-gaps.ts';
import { UNKNOWN_OUTCOME } from './unknown-outcome.ts';
import { lengthenHolds } from './unknown-outcome-queries.ts';
import { UnknownOutcomes, type UnknownOutcomesDeps } from './unknown-outcomes.ts';

const ROW = {
  ...{ seq: 7, numberId: 1, flowId: 4, contact: '15551230001', messageId: 'm', acceptedAtMs: 0 },
  ...{ attempt: 0, dueAtMs: null },
};

type Query = (statement: { name?: string }) => Promise<unknown[]>;

/** Surroundings of one outcome; by default no status is found and no attempt is in flight. */
interface Around {
  query?: Query;
  isInFlight?: UnknownOutcomesDeps['inFlight']['has'];
  hasReceiver?: () => boolean;
}

/** Opens one outcome that is held until `untilMs` on the monotonic clock. */
function openWithOneHeld(
  clock: Clock,
  untilMs: number,
  { query = async () => [], isInFlight = () => false, hasReceiver = () => true }: Around = {},
) {
  const scheduler = new Scheduler();
  const postponed: unknown[] = [];
  const completed: unknown[] = [];
  const log = pino({ level: 'silent' });
  const gaps = new StatusGaps({ clock, log, hasReceiver: async () => hasReceiver() });
  const unknown = new UnknownOutcomes({
    ...{ clock, log, gaps },
    db: { query } as unknown as Database,
    settings: { get: () => ({ unknownOutcomePolicy: 'resend' }) } as unknown as OrganizationSettings,
    upstream: { platformClock: new PlatformClock(clock) },
    scheduler,
    recorder: {
      async postpone(row) {
        postponed.push(row);
        return undefined;
      },
      complete: async (_, outcome) => void completed.push(outcome),
    },
    book: { find: () => NUMBER },
    inFlight: { has: isInFlight },
    wakeup: { wake() {} },
  });
  scheduler.openNumber(0, {
    ...{ numberId: 1, organizationId: 'o', organizationWeight: 1, ratePerSecond: 80, inFlightMax: 80, paused: false },
    flows: [],
    held: [{ row: ROW, untilMs }],
  });
  return { scheduler, unknown, gaps, postponed, completed };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Returns for how many seconds the outcome stays held, at most `secondsMax`. Calls `each` before every second. */
async function heldFor(
  clock: ManualClock,
  { scheduler, unknown }: Pick<ReturnType<typeof openWithOneHeld>, 'scheduler' | 'unknown'>,
  secondsMax: number,
  each: (second: number) => void = () => {},
): Promise<number> {
  let second = 0;
  for (; scheduler.totals().held > 0 && second < secondsMax; second += 1) {
    each(second);
    for (let look = 0; look < 4; look += 1) {
      clock.advance(250);
      unknown.expire();
      for (let turns = 0; turns < 4; turns += 1) await turn();
    }
  }
  return second;
}

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
