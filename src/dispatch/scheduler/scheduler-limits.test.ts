import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  drain,
  opening,
  openScheduler,
  queueRow,
  sessionFlow,
  takeSeqs,
} from '../../../test/support/scheduler-model/queue-rows.ts';
import { assertTokenBucket } from '../../../test/support/scheduler-model/referees.ts';
import { Scheduler } from './index.ts';

test('number: many messages wait → at most its limit in flight', () => {
  const scheduler = openScheduler({ inFlightMax: 2 });
  scheduler.offer(
    0,
    [1, 2, 3, 4].map((seq) => queueRow(seq, sessionFlow, `49${seq}`)),
  );
  assert.deepEqual(takeSeqs(scheduler, 0), [1, 2]);
  assert.equal(scheduler.nextWakeMs(0), null);
  scheduler.settle(0, 2, { kind: 'done' });
  assert.deepEqual(takeSeqs(scheduler, 0), [3]);
  scheduler.setPace(0, 1, { ratePerSecond: 1_000, inFlightMax: 3 });
  assert.deepEqual(takeSeqs(scheduler, 0), [4]);
});

test('number: goes at its pace → faster once its rate is raised', () => {
  const scheduler = openScheduler({ ratePerSecond: 10 }, { paceToleranceMs: 0 });
  scheduler.offer(
    0,
    [1, 2, 3, 4].map((seq) => queueRow(seq, sessionFlow, `49${seq}`)),
  );
  assert.deepEqual(takeSeqs(scheduler, 0), [1]);
  assert.equal(scheduler.nextWakeMs(0), 100);
  assert.deepEqual(takeSeqs(scheduler, 99), []);
  assert.deepEqual(takeSeqs(scheduler, 100), [2]);
  scheduler.setPace(100, 1, { ratePerSecond: 1_000, inFlightMax: 80 });
  assert.deepEqual(takeSeqs(scheduler, 200), [3]);
  assert.deepEqual(takeSeqs(scheduler, 201), [4]);
});

test('raised rate: messages sent at a slower one → delay no longer than the new rate', () => {
  const scheduler = openScheduler({ ratePerSecond: 0.01 }, { paceToleranceMs: 0 });
  scheduler.offer(
    0,
    [1, 2, 3].map((seq) => queueRow(seq, sessionFlow, `49${seq}`)),
  );
  assert.deepEqual(takeSeqs(scheduler, 0), [1]);
  scheduler.setPace(50_000, 1, { ratePerSecond: 10, inFlightMax: 80 });
  assert.equal(scheduler.nextWakeMs(50_000), 50_050);
  assert.deepEqual(takeSeqs(scheduler, 50_050), [2]);
  scheduler.setPace(50_050, 1, { ratePerSecond: 0.01, inFlightMax: 80 });
  assert.equal(scheduler.nextWakeMs(50_050), 50_150);
  assert.deepEqual(takeSeqs(scheduler, 50_150), [3]);
});

test('number: was held up → catches up; had nothing to send → does not', () => {
  const seqsFrom = (first: number) =>
    Array.from({ length: 20 }, (_, index) => queueRow(first + index, sessionFlow, `49${first + index}`));
  const scheduler = openScheduler({ ratePerSecond: 100, inFlightMax: 100 }, { paceToleranceMs: 50 });
  scheduler.offer(0, seqsFrom(1));
  assert.equal(takeSeqs(scheduler, 0).length, 1);
  assert.equal(takeSeqs(scheduler, 45).length, 5);
  scheduler.setPaused(45, 1, true);
  scheduler.setPaused(1_000, 1, false);
  assert.equal(takeSeqs(scheduler, 1_000).length, 1);
  scheduler.parkNumber(1_000, 1, 2_000, '131057');
  assert.equal(takeSeqs(scheduler, 2_000).length, 1);
  for (let nowMs = 2_010; nowMs < 3_000; nowMs += 10) takeSeqs(scheduler, nowMs);
  scheduler.offer(3_000, seqsFrom(101));
  assert.equal(takeSeqs(scheduler, 3_000).length, 1);
  assert.equal(takeSeqs(scheduler, 3_045).length, 5);
  scheduler.stopNumber(3_045, 1, Number.POSITIVE_INFINITY, '190');
  scheduler.resumeNumber(4_000, 1);
  assert.equal(takeSeqs(scheduler, 4_000).length, 1);
});

test('inbound messages → slow a number down, by at most one second', () => {
  const scheduler = openScheduler({ ratePerSecond: 10 }, { paceToleranceMs: 0 });
  scheduler.offer(0, [queueRow(1, sessionFlow, '491')]);
  scheduler.chargeNumber(0, 1, 3);
  assert.equal(scheduler.nextWakeMs(0), 300);
  scheduler.chargeNumber(0, 1, 1000);
  assert.equal(scheduler.nextWakeMs(0), 1000);
});

test('parked number: several parkings → waits for the longest', () => {
  const scheduler = openScheduler();
  scheduler.offer(0, [queueRow(1, sessionFlow, '491')]);
  scheduler.parkNumber(0, 1, 60_000, '131057');
  scheduler.parkNumber(0, 1, 1000, '130429');
  assert.deepEqual(takeSeqs(scheduler, 59_999), []);
  assert.deepEqual(scheduler.explain(59_999, 1)?.parked, { untilMs: 60_000, reason: '131057' });
  assert.deepEqual(takeSeqs(scheduler, 60_000), [1]);
  assert.equal(scheduler.explain(60_000, 1)?.parked, null);
});

test('stopped or paused number: ends → continues at once', () => {
  const scheduler = openScheduler({ paused: true });
  scheduler.offer(0, [queueRow(1, sessionFlow, '491'), queueRow(2, sessionFlow, '492')]);
  assert.deepEqual(takeSeqs(scheduler, 0), []);
  assert.equal(scheduler.nextWakeMs(0), null);
  scheduler.setPaused(0, 1, false);
  assert.deepEqual(takeSeqs(scheduler, 0, 1), [1]);
  scheduler.stopNumber(0, 1, 1e9, 'test');
  assert.deepEqual(takeSeqs(scheduler, 10), []);
  scheduler.resumeNumber(10, 1);
  assert.deepEqual(takeSeqs(scheduler, 10), [2]);
});

test('number stopped during a parking: resumed → still waits for the parking to end', () => {
  const scheduler = openScheduler();
  scheduler.offer(0, [queueRow(1, sessionFlow, '491')]);
  scheduler.parkNumber(0, 1, 60_000, '80007');
  scheduler.stopNumber(0, 1, Number.POSITIVE_INFINITY, '190');
  assert.equal(scheduler.explain(0, 1)?.parked?.reason, '190');
  scheduler.resumeNumber(10_000, 1);
  assert.deepEqual(scheduler.explain(10_000, 1)?.parked, { untilMs: 60_000, reason: '80007' });
  assert.deepEqual(takeSeqs(scheduler, 59_999), []);
  assert.deepEqual(takeSeqs(scheduler, 60_000), [1]);
});

test('penalized pair → waits and has no burst, other pairs continue', () => {
  const scheduler = openScheduler();
  scheduler.offer(
    0,
    [1, 2, 3].map((seq) => queueRow(seq, sessionFlow, seq === 3 ? '492' : '491')),
  );
  scheduler.penalizePair(0, 1, '491', 4000);
  assert.deepEqual(
    drain(scheduler, 0, 9).map(({ seq }) => seq),
    [3],
  );
  assert.equal(scheduler.explain(0, 1)?.pairLimitedRecipients, 1);
  assert.deepEqual(
    drain(scheduler, 4000, 9).map(({ seq }) => seq),
    [1],
  );
  assert.deepEqual(drain(scheduler, 9999, 9), []);
  assert.deepEqual(
    drain(scheduler, 10_000, 9).map(({ seq }) => seq),
    [2],
  );
});

test('pair debts beyond five messages: number closed and opened → kept', () => {
  const scheduler = openScheduler();
  const rows = (first: number, count: number, contact: string) =>
    Array.from({ length: count }, (_, index) => queueRow(first + index, sessionFlow, contact));
  scheduler.offer(0, [...rows(1, 45, '491'), ...rows(100, 5, '492')]);
  assert.equal(drain(scheduler, 0, 100).length, 50);
  const pairDebt = scheduler.listPairDebt(1000, 1);
  assert.deepEqual(pairDebt, [{ contact: '491', debtMs: 45 * 6000 - 1000 }]);
  scheduler.closeNumber(1);
  scheduler.openNumber(500_000, opening({ pairDebt }));
  scheduler.offer(500_000, rows(200, 2, '491'));
  assert.equal(scheduler.nextWakeMs(500_000), 505_000);
});

test('two keys of one person merged → the one left owes the messages of both', () => {
  const scheduler = openScheduler();
  const rows = (first: number, count: number, contact: string) =>
    Array.from({ length: count }, (_, index) => queueRow(first + index, sessionFlow, contact));
  scheduler.offer(0, [...rows(1, 20, '491'), ...rows(100, 20, '492')]);
  assert.equal(drain(scheduler, 0, 100).length, 40);
  scheduler.mergePairs(0, 1, { from: '491', to: '492' });
  // A merge that is reported again owes nothing more.
  scheduler.mergePairs(0, 1, { from: '491', to: '492' });
  assert.deepEqual(scheduler.listPairDebt(0, 1), [{ contact: '492', debtMs: 40 * 6000 }]);
  scheduler.offer(0, rows(200, 10, '492'));
  assert.equal(drain(scheduler, 0, 100).length, 5);
});

test('number changes hands often: small debts unstored → pairs keep their limit', () => {
  const unwrittenMsMax = 6000;
  const stays = fc.array(
    fc.record({ messages: fc.integer({ min: 0, max: 50 }), stayMs: fc.integer({ min: 0, max: 9000 }) }),
    {
      minLength: 1,
      maxLength: 40,
    },
  );
  fc.assert(
    fc.property(stays, (owners) => {
      const scheduler = new Scheduler();
      let [nowMs, writtenMs] = [0, 0];
      const sentAtMs: number[] = [];
      for (const [owner, { messages, stayMs }] of owners.entries()) {
        const pairDebt = [{ contact: '491', debtMs: writtenMs - nowMs }];
        scheduler.openNumber(nowMs, opening({ pairDebt, pairsFreeAtMs: nowMs + unwrittenMsMax }));
        const rows = Array.from({ length: messages }, (_, index) => queueRow(owner * 100 + index, sessionFlow, '491'));
        scheduler.offer(nowMs, rows);
        for (
          let dispatch = scheduler.take(nowMs, 1)[0];
          dispatch !== undefined;
          [dispatch] = scheduler.take(nowMs, 1)
        ) {
          sentAtMs.push(nowMs);
          if (dispatch.pairFreeAtMs - nowMs > unwrittenMsMax) writtenMs = dispatch.pairFreeAtMs;
          scheduler.settle(nowMs, dispatch.seq, { kind: 'done' });
        }
        scheduler.closeNumber(1);
        nowMs += stayMs;
      }
      assertTokenBucket(sentAtMs, 6000, 45, 'the pair');
    }),
  );
});
