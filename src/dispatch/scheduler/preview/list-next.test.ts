import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  marketingFlow,
  opening,
  openScheduler,
  queueRow,
} from '../../../../test/support/scheduler-model/queue-rows.ts';
import { flowIdOf, Scheduler, trafficClasses } from '../index.ts';

const ROUND_MS = 10;
const all = { max: 200, roundMs: ROUND_MS };

const number = fc.record({
  organization: fc.integer({ min: 1, max: 3 }),
  ratePerSecond: fc.constantFrom(3, 20, 80, 1_000),
});
const row = fc.record({
  numberId: fc.integer({ min: 1, max: 4 }),
  key: fc.integer({ min: 1, max: 3 }),
  trafficClass: fc.constantFrom(...Object.values(trafficClasses)),
  contact: fc.integer({ min: 1, max: 30 }).map(String),
  dueAtMs: fc.option(fc.integer({ min: 0, max: 2_000 })),
});

/** Takes as a node does: at most every 10 ms, otherwise when something may go. Returns what went from `nowMs` on, with its times. */
function takeInRounds(scheduler: Scheduler, nowMs: number, max: number): { seq: number; atMs: number }[] {
  const taken: { seq: number; atMs: number }[] = [];
  for (let atMs = nowMs; taken.length < max; ) {
    taken.push(...scheduler.take(atMs, max - taken.length).map(({ seq }) => ({ seq, atMs })));
    const nextMs = scheduler.nextWakeMs(atMs);
    if (nextMs === null) return taken;
    atMs = Math.max(atMs + ROUND_MS, nextMs);
  }
  return taken;
}

test('next messages: any numbers, weights, paces and waits → as they then go, to the time', () => {
  fc.assert(
    fc.property(
      fc.tuple(number, number, number, number),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 3, maxLength: 3 }),
      fc.array(row, { minLength: 1, maxLength: 150 }),
      fc.integer({ min: 0, max: 40 }),
      (numbers, weights, rows, sentBefore) => {
        const scheduler = new Scheduler({ pairBurst: 2, pairIntervalMs: 700 });
        for (const [index, { organization, ratePerSecond }] of numbers.entries()) {
          const organizationWeight = weights[organization - 1] ?? 1;
          const organizationId = `o${organization}`;
          scheduler.openNumber(0, opening({ numberId: index + 1, organizationId, organizationWeight, ratePerSecond }));
        }
        scheduler.offer(
          0,
          rows.map(({ key, trafficClass, contact, ...rest }, index) =>
            queueRow(index + 1, flowIdOf(key, trafficClass), contact, rest),
          ),
        );
        const before = takeInRounds(scheduler, 0, sentBefore);
        const nowMs = (before.at(-1)?.atMs ?? 0) + 3.5;
        for (const { seq } of before) scheduler.settle(nowMs, seq, { kind: 'done' });
        const { turns } = scheduler.listNext(nowMs, all);
        const foretold = turns.map(({ seq, atMs }) => ({ seq, atMs }));
        assert.deepEqual(foretold, takeInRounds(scheduler, nowMs, all.max));
      },
    ),
    { numRuns: 300 },
  );
});

test('next messages: many wait → as many as asked for, and looking changes nothing', () => {
  const scheduler = openScheduler({ ratePerSecond: 80 });
  scheduler.offer(
    0,
    Array.from({ length: 100 }, (_, index) => queueRow(index + 1, marketingFlow, `49${index}`)),
  );
  const look = () => scheduler.listNext(0, { max: 5, roundMs: ROUND_MS });
  assert.deepEqual(
    look().turns.map(({ seq }) => seq),
    [1, 2, 3, 4, 5],
  );
  assert.deepEqual(look(), look());
  assert.equal(scheduler.totals().inFlight, 0);
});

test('kept back: paused, parked, not due, pair limit, unknown outcome → named with their ends', () => {
  const scheduler = new Scheduler({ pairBurst: 1 });
  const offer = (seq: number, numberId: number, change = {}) =>
    scheduler.offer(0, [queueRow(seq, marketingFlow, '491', { numberId, ...change })]);
  for (const numberId of [1, 2, 3, 4, 5]) scheduler.openNumber(0, opening({ numberId, paused: numberId === 1 }));
  scheduler.parkNumber(0, 2, 9_000, 'throttled');
  offer(1, 1);
  offer(2, 2);
  offer(3, 3, { dueAtMs: 700 });
  offer(4, 4);
  offer(5, 4);
  offer(6, 5);
  for (const { seq } of scheduler.take(0, 10))
    scheduler.settle(0, seq, seq === 6 ? { kind: 'hold', untilMs: 5_000 } : { kind: 'done' });
  const { turns, keptBack } = scheduler.listNext(1, { max: 10, roundMs: ROUND_MS });
  assert.deepEqual(
    keptBack.map(({ seq, reason, detail, untilMs }) => [seq, reason, detail, untilMs]),
    [
      [1, 'paused', null, null],
      [2, 'parked', 'throttled', 9_000],
      [3, 'retry', null, 700],
      [5, 'pair limit', null, 6_000],
      [6, 'unknown outcome', null, 5_000],
    ],
  );
  assert.deepEqual(
    turns.map(({ seq, atMs }) => [seq, atMs]),
    [
      [3, 700],
      [5, 6_000],
      [2, 9_000],
    ],
  );
});

test('a number with all its messages in flight → nothing foretold, its next one is kept back', () => {
  const scheduler = openScheduler({ inFlightMax: 1 });
  scheduler.offer(0, [queueRow(1, marketingFlow, '491'), queueRow(2, marketingFlow, '492')]);
  scheduler.take(0, 10);
  const { turns, keptBack } = scheduler.listNext(0, all);
  assert.deepEqual(turns, []);
  assert.deepEqual(
    keptBack.map(({ seq, reason }) => [seq, reason]),
    [[2, 'on its way']],
  );
});

test('a paused number whose messages are in the table only → its flow is named', () => {
  const scheduler = new Scheduler();
  const flows = [{ flowId: marketingFlow, rows: [], more: true }];
  scheduler.openNumber(0, opening({ paused: true, flows }));
  const { keptBack, unread } = scheduler.listNext(0, all);
  assert.deepEqual(keptBack, []);
  assert.deepEqual(
    unread.map(({ flowId, reason }) => [flowId, reason]),
    [[marketingFlow, 'paused']],
  );
});
