import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { NUMBER } from '../../../test/support/dispatch-number.ts';
import type { SendingNumber } from '../../accounts/index.ts';
import { type Clock, systemClock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import type { OrganizationSettings } from '../../organizations/index.ts';
import { Scheduler } from '../scheduler/index.ts';
import { NumberBook } from './number-book.ts';

/** A book whose reads of numbers wait in `readings` until the test answers them. */
function startBook(
  t: TestContext,
  settings = { weight: 1 },
  query: (statement: { name?: string; values?: unknown[] }) => unknown[] | Promise<unknown[]> = () => [],
  clock: Clock = systemClock,
) {
  const readings: ((number: SendingNumber) => void)[] = [];
  const scheduler = new Scheduler();
  const book = new NumberBook({
    db: { query: async (statement: { name?: string }) => query(statement) } as unknown as Database,
    clock,
    scheduler,
    numbers: {
      findByNumberIds: () =>
        new Promise((resolve) => {
          readings.push((number) => resolve([number]));
        }),
    },
    settings: { get: async () => ({ ...settings }) } as unknown as OrganizationSettings,
  });
  const open = (numberId = 1) => book.open({ numberIds: [numberId], heads: [], limit: 10, held: [] }, () => 0);
  const isPaused = () => scheduler.explain(systemClock.monotonicMs(), 1)?.paused;
  t.after(() => book.close(1));
  return { book, scheduler, open, readings, isPaused };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('refresh: the number is being opened from an older read → in force once awaited', async (t) => {
  const { book, open, readings, isPaused } = startBook(t);
  const opening = open();
  const changed = book.refresh((number) => number.phoneNumberId === '800');
  readings[0]?.({ ...NUMBER, paused: true });
  await opening;
  await turn();
  readings[1]?.(NUMBER);
  await changed;
  assert.equal(isPaused(), false);
});

test('two reads of a number: answered out of order → the later-started one counts', async (t) => {
  const { book, open, readings, isPaused } = startBook(t);
  const opening = open();
  readings[0]?.(NUMBER);
  await opening;
  const changes = [book.refresh(), book.refresh()];
  await turn();
  readings[2]?.(NUMBER);
  await changes[1];
  readings[1]?.({ ...NUMBER, paused: true });
  await changes[0];
  assert.equal(isPaused(), false);
});

test('throttled account, app or platform: a number is opened → it waits too, others do not', async (t) => {
  const other = { ...NUMBER, organizationId: 'another' };
  for (const [throttled, isParked] of [
    [{ scope: 'waba', account: NUMBER }, true],
    [{ scope: 'waba', account: other }, false],
    [{ scope: 'app', account: other, appId: null }, true],
    [{ scope: 'app', account: other, appId: '66' }, false],
    [{ scope: 'app', account: other }, true],
    [{ scope: 'platform', account: other }, true],
  ] as const) {
    const { book, scheduler, open, readings } = startBook(t);
    book.throttle(throttled, systemClock.monotonicMs() + 60_000, 'throttled');
    book.throttle(throttled, systemClock.monotonicMs() + 1_000, 'for a shorter time');
    const opening = open();
    readings[0]?.(NUMBER);
    await opening;
    const { parked } = scheduler.explain(systemClock.monotonicMs() + QUIET_MS + 1_000, 1) ?? {};
    assert.equal(parked?.reason, isParked ? 'throttled' : undefined);
  }
});

test('inbound messages: the number sends below its limit → slowed in proportion', async (t) => {
  const clock = createManualClock();
  clock.advance(QUIET_MS);
  const { book, scheduler, open, readings } = startBook(t, undefined, undefined, clock);
  assert.equal(book.chargeInbound(1, 1), false, 'it is not open');
  const opening = open();
  readings[0]?.({ ...NUMBER, messagesPerSecond: 5 });
  await opening;
  const row = { numberId: 1, flowId: 4, messageId: 'm', acceptedAtMs: 0, attempt: 0, dueAtMs: null };
  const rows = Array.from({ length: 100 }, (_, index) => ({ ...row, seq: index + 1, contact: `1555000${index}` }));
  scheduler.offer(clock.monotonicMs(), rows);
  let sent = 0;
  for (let slice = 0; slice < 100; slice += 1) {
    // Twenty per second, of eighty.
    book.chargeInbound(1, 2);
    clock.advance(100);
    sent += scheduler.take(clock.monotonicMs(), 100).length;
    for (const { seq } of rows.slice(0, sent)) scheduler.settle(clock.monotonicMs(), seq, { kind: 'done' });
  }
  assert.ok(sent >= 30 && sent <= 40, `${sent} of 50 in ten seconds`);
});

test('message held up at the gate → number slowed by the same time, at most one place', async (t) => {
  for (const { messagesPerSecond, heldMs, laterMs } of [
    { messagesPerSecond: 2, heldMs: 150, laterMs: 150 },
    { messagesPerSecond: 10, heldMs: 150, laterMs: 100 },
  ]) {
    const clock = createManualClock();
    clock.advance(QUIET_MS);
    const { book, scheduler, open, readings } = startBook(t, undefined, undefined, clock);
    const opening = open();
    readings[0]?.({ ...NUMBER, messagesPerSecond });
    await opening;
    const [first] = waiting(1);
    assert.ok(first);
    scheduler.offer(clock.monotonicMs(), waiting(1));
    clock.advance(2 * QUIET_MS);
    assert.equal(scheduler.take(clock.monotonicMs(), 1).length, 1);
    scheduler.settle(clock.monotonicMs(), first.seq, { kind: 'done' });
    const atMs = scheduler.nextWakeMs(clock.monotonicMs()) ?? 0;
    book.chargeHeldUp(1, heldMs);
    const laterAtMs = scheduler.nextWakeMs(clock.monotonicMs()) ?? 0;
    assert.ok(Math.abs(laterAtMs - atMs - laterMs) < 2, `${laterAtMs - atMs} ms`);
  }
});

test('reconnected number: earlier messages in flight → waits until they end, despite refreshes', async (t) => {
  let isBehind = true;
  const { book, scheduler, open, readings } = startBook(t, undefined, ({ name }) =>
    name === 'sending_number_list_behind_former' && isBehind ? [{ number_id: 1 }] : [],
  );
  const parked = () => scheduler.explain(systemClock.monotonicMs() + QUIET_MS, 1)?.parked?.untilMs;
  const opening = open();
  readings[0]?.(NUMBER);
  await opening;
  const changed = book.refresh();
  await turn();
  readings[1]?.(NUMBER);
  await changed;
  await book.releaseBehindFormer();
  assert.equal(parked(), Number.POSITIVE_INFINITY);
  isBehind = false;
  await book.releaseBehindFormer();
  assert.equal(parked(), undefined);
});

test('number: opened while others are checked → waits for a check of its own', async (t) => {
  const looks: { values?: unknown[]; answer: (rows: unknown[]) => void }[] = [];
  const { book, scheduler, open, readings } = startBook(t, undefined, ({ name, values }) =>
    name === 'sending_number_list_behind_former'
      ? new Promise((answer) => looks.push({ ...(values && { values }), answer }))
      : [],
  );
  const first = open(1);
  readings[0]?.(NUMBER);
  looks[0]?.answer([{ number_id: 1 }]);
  await first;
  const looking = book.releaseBehindFormer();
  const second = open(2);
  readings[1]?.({ ...NUMBER, numberId: 2 });
  looks[2]?.answer([{ number_id: 2 }]);
  await second;
  assert.deepEqual(looks[1]?.values, [[1]]);
  looks[1]?.answer([]);
  assert.equal(await looking, true);
  const until = [1, 2].map(
    (numberId) => scheduler.explain(systemClock.monotonicMs() + QUIET_MS, numberId)?.parked?.untilMs,
  );
  assert.deepEqual(until, [undefined, Number.POSITIVE_INFINITY]);
});

test('parked number: it also waits for earlier messages → shows why it is parked', async (t) => {
  const { book, scheduler, open, readings } = startBook(t, undefined, ({ name }) =>
    name === 'sending_number_list_behind_former' ? [{ number_id: 1 }] : [],
  );
  const opening = open();
  readings[0]?.(NUMBER);
  await opening;
  const changed = book.refresh();
  await turn();
  readings[1]?.({ ...NUMBER, parked: { code: '190', reason: 'expired' } });
  await changed;
  assert.equal(scheduler.explain(systemClock.monotonicMs(), 1)?.parked?.reason, '190: expired');
});

test('organization: its weight changes → applies to its open numbers', async (t) => {
  const settings = { weight: 1 };
  const { book, scheduler, open, readings } = startBook(t, settings);
  const opening = open();
  readings[0]?.({ ...NUMBER, messagesPerSecond: 1_000 });
  await opening;
  scheduler.openNumber(0, { ...OTHERS_NUMBER, flows: [{ flowId: 4, rows: waiting(2), more: false }] });
  scheduler.offer(0, waiting(1));
  settings.weight = 4;
  const changed = book.refresh((number) => number.organizationId === 'o');
  await turn();
  readings[1]?.({ ...NUMBER, messagesPerSecond: 1_000 });
  await changed;
  const first = scheduler.take(systemClock.monotonicMs() + QUIET_MS, 10);
  assert.equal(first.filter(({ numberId }) => numberId === 1).length, 8);
});

test('restored queue: held for ten minutes → kept, but never longer', async (t) => {
  const minuteMs = 60_000;
  for (const [heldForMs, untilMs] of [
    [10 * minuteMs, 10 * minuteMs],
    // The same hold, seen by a clock that was set back since.
    [60 * minuteMs, 10 * minuteMs],
  ] as const) {
    const { book, scheduler, readings } = startBook(t);
    const nowMs = systemClock.monotonicMs();
    const row = { ...HELD, holdUntilMs: systemClock.now() + heldForMs };
    const opening = book.open({ numberIds: [1], heads: [], limit: 10, held: [row] }, () => 0);
    readings[0]?.(NUMBER);
    await opening;
    assert.deepEqual(scheduler.expiredHolds(nowMs + untilMs - minuteMs), []);
    assert.equal(scheduler.expiredHolds(nowMs + untilMs + minuteMs).length, 1);
  }
});

test('pair debt: stored before the clock was set back → waits no longer than the largest debt', async (t) => {
  const freeAt = new Date(systemClock.now() + 7 * DAY_MS);
  const { book, scheduler, readings } = startBook(t, undefined, ({ name }) =>
    name === 'pair_debt_list' ? [{ number_id: 1, contact: HELD.contact, free_at: freeAt }] : [],
  );
  const nowMs = systemClock.monotonicMs();
  const opening = book.open({ numberIds: [1], heads: [], limit: 10, held: [] }, () => 0);
  readings[0]?.(NUMBER);
  await opening;
  scheduler.offer(nowMs, [HELD]);
  // The platform's 4^5 s are the longest wait of a pair.
  assert.equal(scheduler.take(nowMs + 1_024_000, 1).length, 0);
  assert.equal(scheduler.take(nowMs + 1_300_000, 1).length, 1);
});

test('retry: due time from before the clock was set back → waits at most the longest retry time', async (t) => {
  const { book, scheduler, readings } = startBook(t);
  const nowMs = systemClock.monotonicMs();
  const heads = [{ ...HELD, unknownCount: 0, holdUntilMs: null, attempt: 1, dueAtMs: systemClock.now() + 7 * DAY_MS }];
  const opening = book.open({ numberIds: [1], heads, limit: 10, held: [] }, () => 0);
  readings[0]?.(NUMBER);
  await opening;
  assert.equal(scheduler.take(nowMs + DAY_MS, 1).length, 0);
  assert.equal(scheduler.take(nowMs + 1.25 * DAY_MS + 60_000, 1).length, 1);
});

test('number just taken over: the last owner may have sent → quiet for one second', async (t) => {
  const { book, scheduler, readings } = startBook(t);
  const nowMs = systemClock.monotonicMs();
  const opening = book.open({ numberIds: [1], heads: [], limit: 10, held: [] }, () => nowMs);
  readings[0]?.(NUMBER);
  await opening;
  scheduler.offer(nowMs, waiting(1));
  assert.equal(scheduler.take(nowMs + QUIET_MS - 1, 1).length, 0);
  assert.equal(scheduler.take(nowMs + QUIET_MS + 1, 1).length, 1);
});

test('pair burst: number taken over → one message counts as sent without being stored', async (t) => {
  const { book, scheduler, readings } = startBook(t);
  const nowMs = systemClock.monotonicMs();
  const opening = book.open({ numberIds: [1], heads: [], limit: 10, held: [] }, () => nowMs);
  readings[0]?.({ ...NUMBER, messagesPerSecond: 1_000 });
  await opening;
  const rows = Array.from({ length: 50 }, (_, index) => ({ ...HELD, seq: 1 + index, messageId: `m${index}` }));
  scheduler.offer(nowMs, rows);
  let sent = 0;
  for (let atMs = nowMs + QUIET_MS + 1; atMs < nowMs + 2 * QUIET_MS; atMs += 10) {
    for (const { seq } of scheduler.take(atMs, 1)) {
      scheduler.settle(atMs, seq, { kind: 'done' });
      sent += 1;
    }
  }
  assert.equal(sent, 44);
});

const HELD = {
  ...{ seq: 1, numberId: 1, flowId: 4, contact: '15551230001', messageId: 'm', acceptedAtMs: 0 },
  ...{ attempt: 0, unknownCount: 2, dueAtMs: null, attemptedAtMs: 0 },
};

const DAY_MS = 86_400_000;
/** A number just taken over sends nothing for a second. */
const QUIET_MS = 1_000;
const OTHERS_NUMBER = {
  numberId: 2,
  organizationId: 'p',
  organizationWeight: 1,
  ratePerSecond: 1_000,
  inFlightMax: 1_000,
  paused: false,
  held: [],
};

const waiting = (numberId: number) =>
  Array.from({ length: 20 }, (_, index) => ({
    seq: 100 * numberId + index,
    numberId,
    flowId: 4,
    contact: String(15550000000 + index),
    messageId: `m${index}`,
    organizationId: numberId === 1 ? 'o' : 'p',
    acceptedAtMs: 0,
    attempt: 0,
    dueAtMs: null,
  }));
