import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  marketingFlow,
  openScheduler,
  otpFlow,
  queueRow,
  sessionFlow,
  takeSeqs,
} from '../../../test/support/scheduler-model/queue-rows.ts';

test('recipient: messages in several flows → one in flight, in order', () => {
  const scheduler = openScheduler();
  scheduler.offer(0, [queueRow(3, otpFlow, '491'), queueRow(1, marketingFlow, '491'), queueRow(2, sessionFlow, '491')]);
  for (const seq of [1, 2, 3]) {
    assert.deepEqual(takeSeqs(scheduler, 0), [seq]);
    assert.deepEqual(takeSeqs(scheduler, 0), []);
    assert.equal(scheduler.settle(0, seq, { kind: 'done' }), true);
  }
  assert.deepEqual(takeSeqs(scheduler, 0), []);
});

test('dispatch → carries its row, its organization and the used burst of its pair', () => {
  const scheduler = openScheduler();
  const { dueAtMs: _, ...row } = queueRow(7, otpFlow, '491', { attempt: 2, acceptedAtMs: 99.5 });
  scheduler.offer(0, [{ ...row, dueAtMs: null }]);
  assert.deepEqual(scheduler.take(0, 1), [{ ...row, organizationId: 'o1', pairFreeAtMs: 6000 }]);
});

test('row: offered twice, read again or offered after it finished → goes once', () => {
  const scheduler = openScheduler();
  const token = scheduler.beginOffer();
  const row = queueRow(1, sessionFlow, '491');
  scheduler.offer(0, [row]);
  scheduler.offer(0, [row]);
  assert.deepEqual(takeSeqs(scheduler, 0), [1]);
  scheduler.offer(0, [row]);
  scheduler.settle(0, 1, { kind: 'done' });
  scheduler.offer(0, [row]);
  scheduler.endOffer(token);
  assert.deepEqual(takeSeqs(scheduler, 0), []);
  assert.equal(scheduler.totals().finishedRemembered, 0);
});

test('retry: due → goes before younger messages of its recipient, with the given attempt', () => {
  const scheduler = openScheduler();
  scheduler.offer(0, [queueRow(1, sessionFlow, '491'), queueRow(2, sessionFlow, '491')]);
  scheduler.take(0, 1);
  scheduler.settle(0, 1, { kind: 'retry', dueAtMs: 500, attempt: 1 });
  assert.deepEqual(takeSeqs(scheduler, 499), []);
  assert.equal(scheduler.nextWakeMs(499), 500);
  assert.deepEqual(
    scheduler.take(500, 9).map(({ seq, attempt }) => [seq, attempt]),
    [[1, 1]],
  );
});

test('forgotten message → next one goes, pair not charged, running reads cannot revive it', () => {
  const scheduler = openScheduler({}, { pairBurst: 2 });
  const rows = [1, 2, 3, 4].map((seq) => queueRow(seq, sessionFlow, '491'));
  const token = scheduler.beginOffer();
  scheduler.offer(0, rows);
  scheduler.take(0, 1);
  scheduler.settle(0, 1, { kind: 'retry', dueAtMs: 1e9, attempt: 1, refundPair: true });
  for (const seq of [1, 2]) scheduler.forget(0, { numberId: 1, contact: '491', seq });
  scheduler.offer(0, rows);
  scheduler.endOffer(token);
  for (const seq of [3, 4]) {
    assert.deepEqual(takeSeqs(scheduler, 0), [seq]);
    scheduler.forget(0, { numberId: 1, contact: '491', seq });
    assert.equal(scheduler.settle(0, seq, { kind: 'done' }), true, 'messages in flight are not forgotten');
  }
  assert.equal(scheduler.totals().messages, 0);
});

test('message that never left → goes again at once, number and pair charges given back', () => {
  const scheduler = openScheduler({ ratePerSecond: 10 }, { pairBurst: 1, paceToleranceMs: 20 });
  scheduler.offer(0, [queueRow(1, sessionFlow, '491')]);
  scheduler.take(0, 1);
  scheduler.settle(5, 1, { kind: 'unsent' });
  assert.deepEqual(takeSeqs(scheduler, 5), [1]);
});

test('late refund → the pair gets its charge back, the number no slot', () => {
  const scheduler = openScheduler({ ratePerSecond: 1, inFlightMax: 5 }, { pairBurst: 1, paceToleranceMs: 5 });
  scheduler.offer(0, [queueRow(1, sessionFlow, '491')]);
  scheduler.take(0, 1);
  scheduler.settle(900, 1, { kind: 'unsent' });
  assert.deepEqual(takeSeqs(scheduler, 994), []);
  assert.deepEqual(takeSeqs(scheduler, 996), [1]);
});

test('dropped message → over, charges given back', () => {
  const scheduler = openScheduler({ ratePerSecond: 10 }, { pairBurst: 1 });
  scheduler.offer(0, [queueRow(1, sessionFlow, '491'), queueRow(2, sessionFlow, '491')]);
  scheduler.take(0, 1);
  scheduler.settle(0, 1, { kind: 'dropped' });
  assert.deepEqual(takeSeqs(scheduler, 0), [2]);
});

test('retry: refund requested or not → pair refunded only if requested', () => {
  for (const refundPair of [true, false]) {
    const scheduler = openScheduler({}, { pairBurst: 1, pairIntervalMs: 6000 });
    scheduler.offer(0, [queueRow(1, sessionFlow, '491')]);
    scheduler.take(0, 1);
    scheduler.settle(0, 1, { kind: 'retry', dueAtMs: 10, attempt: 1, refundPair });
    assert.equal(scheduler.nextWakeMs(0), refundPair ? 10 : 6000);
  }
});

test('held message → blocks only its recipient, expires once, ends by release', () => {
  const scheduler = openScheduler();
  scheduler.offer(0, [
    queueRow(1, sessionFlow, '491'),
    queueRow(2, sessionFlow, '491'),
    queueRow(3, sessionFlow, '492'),
  ]);
  assert.deepEqual(takeSeqs(scheduler, 0), [1, 3]);
  scheduler.settle(0, 1, { kind: 'hold', untilMs: 30_000 });
  scheduler.settle(0, 3, { kind: 'done' });
  assert.deepEqual(takeSeqs(scheduler, 100), []);
  assert.equal(scheduler.nextWakeMs(100), 30_000);
  assert.deepEqual(scheduler.expiredHolds(29_999), []);
  assert.deepEqual(
    scheduler.expiredHolds(30_000).map(({ seq }) => seq),
    [1],
  );
  assert.deepEqual(scheduler.expiredHolds(30_000), []);
  assert.deepEqual(takeSeqs(scheduler, 30_000), []);
  assert.equal(scheduler.endHold(30_000, 1, { kind: 'retry', dueAtMs: 30_000, attempt: 1 }), true);
  assert.deepEqual(takeSeqs(scheduler, 30_000), [1]);
  assert.equal(scheduler.endHold(30_000, 1, { kind: 'done' }), false);
});

test('hold: released as a hold or as done → extended, or ends early', () => {
  const scheduler = openScheduler();
  scheduler.offer(0, [queueRow(1, sessionFlow, '491'), queueRow(2, sessionFlow, '491')]);
  scheduler.take(0, 1);
  scheduler.settle(0, 1, { kind: 'hold', untilMs: 100 });
  scheduler.expiredHolds(100);
  scheduler.endHold(100, 1, { kind: 'hold', untilMs: 200 });
  assert.equal(scheduler.nextWakeMs(100), 200);
  scheduler.endHold(150, 1, { kind: 'done' });
  assert.deepEqual(takeSeqs(scheduler, 150), [2]);
  assert.deepEqual(scheduler.expiredHolds(300), []);
});

test('number opened with held rows → their recipients stay blocked', () => {
  const held = queueRow(5, sessionFlow, '491');
  const rows = [queueRow(4, marketingFlow, '491'), queueRow(6, marketingFlow, '492')];
  const scheduler = openScheduler({
    flows: [{ flowId: marketingFlow, rows, more: false }],
    held: [{ row: held, untilMs: 50 }],
  });
  assert.deepEqual(takeSeqs(scheduler, 0), [6]);
  assert.deepEqual(
    scheduler.expiredHolds(50).map(({ seq }) => seq),
    [5],
  );
  scheduler.endHold(60, 5, { kind: 'done' });
  assert.deepEqual(takeSeqs(scheduler, 60), [4]);
});
