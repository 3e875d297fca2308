import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createScheduler, type Scheduler, type SchedulerOptions } from './index.ts';
import { drain, marketingFlow, opening, otpFlow, queueRow, sessionFlow } from './model/queue-rows.ts';
import { assertTokenBucket } from './model/referees.ts';

function openScheduler(change: Parameters<typeof opening>[0] = {}, options: Partial<SchedulerOptions> = {}): Scheduler {
  const scheduler = createScheduler(options);
  scheduler.openNumber(0, opening(change));
  return scheduler;
}

function takeSeqs(scheduler: Scheduler, nowMs: number, max = 100): number[] {
  return scheduler.take(nowMs, max).map(({ seq }) => seq);
}

test('one recipient has one message in flight and gets its messages in order across flows', () => {
  const scheduler = openScheduler();
  scheduler.offer(0, [queueRow(3, otpFlow, '491'), queueRow(1, marketingFlow, '491'), queueRow(2, sessionFlow, '491')]);
  for (const seq of [1, 2, 3]) {
    assert.deepEqual(takeSeqs(scheduler, 0), [seq]);
    assert.deepEqual(takeSeqs(scheduler, 0), []);
    assert.equal(scheduler.settle(0, seq, { kind: 'done' }), true);
  }
  assert.deepEqual(takeSeqs(scheduler, 0), []);
});

test('a dispatch carries its row and what its pair has used of its burst', () => {
  const scheduler = openScheduler();
  const { dueAtMs: _, ...row } = queueRow(7, otpFlow, '491', { attempt: 2, acceptedAtMs: 99.5 });
  scheduler.offer(0, [{ ...row, dueAtMs: null }]);
  assert.deepEqual(scheduler.take(0, 1), [{ ...row, pairFreeAtMs: 6000 }]);
});

test('a row offered twice, read again or offered after it finished goes once', () => {
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

test('a retry goes again when it is due, before younger messages of its recipient, and as the attempt told', () => {
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

test('a message that never left goes again at once, its number and pair charges given back', () => {
  const scheduler = openScheduler({ ratePerSecond: 10 }, { pairBurst: 1, paceToleranceMs: 20 });
  scheduler.offer(0, [queueRow(1, sessionFlow, '491')]);
  scheduler.take(0, 1);
  scheduler.settle(5, 1, { kind: 'unsent' });
  assert.deepEqual(takeSeqs(scheduler, 5), [1]);
});

test("a late refund gives the pair's charge back but no slot of the number", () => {
  const scheduler = openScheduler({ ratePerSecond: 1, inFlightMax: 5 }, { pairBurst: 1, paceToleranceMs: 5 });
  scheduler.offer(0, [queueRow(1, sessionFlow, '491')]);
  scheduler.take(0, 1);
  scheduler.settle(900, 1, { kind: 'unsent' });
  assert.deepEqual(takeSeqs(scheduler, 994), []);
  assert.deepEqual(takeSeqs(scheduler, 996), [1]);
});

test('a dropped message is over and gives its charges back', () => {
  const scheduler = openScheduler({ ratePerSecond: 10 }, { pairBurst: 1 });
  scheduler.offer(0, [queueRow(1, sessionFlow, '491'), queueRow(2, sessionFlow, '491')]);
  scheduler.take(0, 1);
  scheduler.settle(0, 1, { kind: 'dropped' });
  assert.deepEqual(takeSeqs(scheduler, 0), [2]);
});

test('a retry refunds its pair only when told so', () => {
  for (const refundPair of [true, false]) {
    const scheduler = openScheduler({}, { pairBurst: 1, pairIntervalMs: 6000 });
    scheduler.offer(0, [queueRow(1, sessionFlow, '491')]);
    scheduler.take(0, 1);
    scheduler.settle(0, 1, { kind: 'retry', dueAtMs: 10, attempt: 1, refundPair });
    assert.equal(scheduler.nextWakeMs(0), refundPair ? 10 : 6000);
  }
});

test('a held message blocks its recipient alone, expires once and ends by release', () => {
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
  assert.equal(scheduler.release(30_000, 1, { kind: 'retry', dueAtMs: 30_000, attempt: 1 }), true);
  assert.deepEqual(takeSeqs(scheduler, 30_000), [1]);
  assert.equal(scheduler.release(30_000, 1, { kind: 'done' }), false);
});

test('a hold can be extended and can end before its time', () => {
  const scheduler = openScheduler();
  scheduler.offer(0, [queueRow(1, sessionFlow, '491'), queueRow(2, sessionFlow, '491')]);
  scheduler.take(0, 1);
  scheduler.settle(0, 1, { kind: 'hold', untilMs: 100 });
  scheduler.expiredHolds(100);
  scheduler.release(100, 1, { kind: 'hold', untilMs: 200 });
  assert.equal(scheduler.nextWakeMs(100), 200);
  scheduler.release(150, 1, { kind: 'done' });
  assert.deepEqual(takeSeqs(scheduler, 150), [2]);
  assert.deepEqual(scheduler.expiredHolds(300), []);
});

test('a number opened with held rows keeps their recipients blocked', () => {
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
  scheduler.release(60, 5, { kind: 'done' });
  assert.deepEqual(takeSeqs(scheduler, 60), [4]);
});

test('a number has at most its limit in flight', () => {
  const scheduler = openScheduler({ inFlightMax: 2 });
  scheduler.offer(
    0,
    [1, 2, 3, 4].map((seq) => queueRow(seq, sessionFlow, `49${seq}`)),
  );
  assert.deepEqual(takeSeqs(scheduler, 0), [1, 2]);
  assert.equal(scheduler.nextWakeMs(0), null);
  scheduler.settle(0, 2, { kind: 'done' });
  assert.deepEqual(takeSeqs(scheduler, 0), [3]);
  scheduler.setInFlightMax(0, 1, 3);
  assert.deepEqual(takeSeqs(scheduler, 0), [4]);
});

test('a number goes at its pace, and faster once its rate is raised', () => {
  const scheduler = openScheduler({ ratePerSecond: 10 }, { paceToleranceMs: 0 });
  scheduler.offer(
    0,
    [1, 2, 3, 4].map((seq) => queueRow(seq, sessionFlow, `49${seq}`)),
  );
  assert.deepEqual(takeSeqs(scheduler, 0), [1]);
  assert.equal(scheduler.nextWakeMs(0), 100);
  assert.deepEqual(takeSeqs(scheduler, 99), []);
  assert.deepEqual(takeSeqs(scheduler, 100), [2]);
  scheduler.setRate(100, 1, 1000);
  assert.deepEqual(takeSeqs(scheduler, 200), [3]);
  assert.deepEqual(takeSeqs(scheduler, 201), [4]);
});

test('a number makes up for what held it up, and not for having had nothing to send', () => {
  const seqsFrom = (first: number) =>
    Array.from({ length: 20 }, (_, index) => queueRow(first + index, sessionFlow, `49${first + index}`));
  const scheduler = openScheduler({ ratePerSecond: 100, inFlightMax: 100 }, { paceToleranceMs: 50 });
  scheduler.offer(0, seqsFrom(1));
  assert.equal(takeSeqs(scheduler, 0).length, 1);
  assert.equal(takeSeqs(scheduler, 45).length, 5);
  scheduler.pauseNumber(45, 1);
  scheduler.resumeNumber(1_000, 1);
  assert.equal(takeSeqs(scheduler, 1_000).length, 1);
  scheduler.parkNumber(1_000, 1, 2_000, '131057');
  assert.equal(takeSeqs(scheduler, 2_000).length, 1);
  for (let nowMs = 2_010; nowMs < 3_000; nowMs += 10) takeSeqs(scheduler, nowMs);
  scheduler.offer(3_000, seqsFrom(101));
  assert.equal(takeSeqs(scheduler, 3_000).length, 1);
  assert.equal(takeSeqs(scheduler, 3_045).length, 5);
});

test('inbound messages slow a number down, by one second at most', () => {
  const scheduler = openScheduler({ ratePerSecond: 10 }, { paceToleranceMs: 0 });
  scheduler.offer(0, [queueRow(1, sessionFlow, '491')]);
  scheduler.chargeNumber(0, 1, 3);
  assert.equal(scheduler.nextWakeMs(0), 300);
  scheduler.chargeNumber(0, 1, 1000);
  assert.equal(scheduler.nextWakeMs(0), 1000);
});

test('a parked number waits for the longest of its parkings', () => {
  const scheduler = openScheduler();
  scheduler.offer(0, [queueRow(1, sessionFlow, '491')]);
  scheduler.parkNumber(0, 1, 60_000, '131057');
  scheduler.parkNumber(0, 1, 1000, '130429');
  assert.deepEqual(takeSeqs(scheduler, 59_999), []);
  assert.deepEqual(scheduler.explain(59_999, 1)?.parked, { untilMs: 60_000, reason: '131057' });
  assert.deepEqual(takeSeqs(scheduler, 60_000), [1]);
  assert.equal(scheduler.explain(60_000, 1)?.parked, null);
});

test('an unparked and a resumed number go on at once', () => {
  const scheduler = openScheduler({ paused: true });
  scheduler.offer(0, [queueRow(1, sessionFlow, '491'), queueRow(2, sessionFlow, '492')]);
  assert.deepEqual(takeSeqs(scheduler, 0), []);
  assert.equal(scheduler.nextWakeMs(0), null);
  scheduler.resumeNumber(0, 1);
  assert.deepEqual(takeSeqs(scheduler, 0, 1), [1]);
  scheduler.parkNumber(0, 1, 1e9, 'test');
  assert.deepEqual(takeSeqs(scheduler, 10), []);
  scheduler.unparkNumber(10, 1);
  assert.deepEqual(takeSeqs(scheduler, 10), [2]);
});

test('a penalized pair waits, has no burst left, and holds up nobody', () => {
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
  assert.deepEqual(scheduler.explain(0, 1)?.pairLimited, { recipients: 1, nextAtMs: 4000 });
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

test('pair debts beyond five messages survive closing and opening', () => {
  const scheduler = openScheduler();
  const rows = (first: number, count: number, recipient: string) =>
    Array.from({ length: count }, (_, index) => queueRow(first + index, sessionFlow, recipient));
  scheduler.offer(0, [...rows(1, 45, '491'), ...rows(100, 5, '492')]);
  assert.equal(drain(scheduler, 0, 100).length, 50);
  const pairDebt = scheduler.listPairDebt(1000, 1);
  assert.deepEqual(pairDebt, [{ recipient: '491', debtMs: 45 * 6000 - 1000 }]);
  scheduler.closeNumber(1);
  scheduler.openNumber(500_000, opening({ pairDebt }));
  scheduler.offer(500_000, rows(200, 2, '491'));
  assert.equal(scheduler.nextWakeMs(500_000), 505_000);
});

test('however often a number changes hands, its pairs keep to their limit though small debts are not written down', () => {
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
      const scheduler = createScheduler();
      let [nowMs, writtenMs] = [0, 0];
      const sentAtMs: number[] = [];
      for (const [owner, { messages, stayMs }] of owners.entries()) {
        const pairDebt = [{ recipient: '491', debtMs: writtenMs - nowMs }];
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

test('closing a number answers what is in flight and forgets the rest', () => {
  const scheduler = openScheduler({ inFlightMax: 2 });
  scheduler.offer(
    0,
    [1, 2, 3, 4].map((seq) => queueRow(seq, seq > 2 ? otpFlow : sessionFlow, `49${seq}`)),
  );
  const inFlight = takeSeqs(scheduler, 0);
  const [held = 0, flying = 0] = inFlight;
  scheduler.settle(0, held, { kind: 'hold', untilMs: 10 });
  assert.deepEqual(scheduler.closeNumber(1), [flying]);
  const { finishedRemembered: _, ...sizes } = scheduler.totals();
  assert.deepEqual(new Set(Object.values(sizes)), new Set([0]));
  assert.deepEqual(
    [scheduler.settle(0, flying, { kind: 'done' }), scheduler.release(0, held, { kind: 'done' })],
    [false, false],
  );
  assert.deepEqual([scheduler.take(0, 9), scheduler.expiredHolds(99), scheduler.nextWakeMs(0)], [[], [], null]);
  assert.equal(scheduler.isOpen(1), false);
});

test('an answer for a number closed and opened meanwhile is ignored', () => {
  const behind = { flows: [{ flowId: sessionFlow, rows: [], more: true }] };
  const scheduler = openScheduler(behind);
  const [request] = scheduler.takeReads(0, 9);
  scheduler.closeNumber(1);
  scheduler.openNumber(0, opening());
  scheduler.answerRead(0, request?.id ?? 0, [queueRow(1, sessionFlow, '491')]);
  assert.deepEqual(takeSeqs(scheduler, 0), []);
});

test('rows for numbers that are not open are refused by number', () => {
  const scheduler = openScheduler();
  const strangers = [
    queueRow(1, sessionFlow, '491', { numberId: 8 }),
    queueRow(2, sessionFlow, '491', { numberId: 9 }),
  ];
  assert.deepEqual(scheduler.offer(0, [...strangers, queueRow(3, sessionFlow, '492')]), [8, 9]);
  assert.deepEqual(takeSeqs(scheduler, 0), [3]);
});

test('a row offered while its number is being read for opening is read again if the opening lacks it', () => {
  const scheduler = createScheduler();
  scheduler.expectNumber(1);
  assert.deepEqual(scheduler.offer(0, [queueRow(5, sessionFlow, '491')]), []);
  scheduler.openNumber(
    0,
    opening({ flows: [{ flowId: sessionFlow, rows: [queueRow(7, sessionFlow, '492')], more: false }] }),
  );
  const [request] = scheduler.takeReads(0, 9);
  assert.deepEqual(request, { kind: 'flow', id: 1, numberId: 1, flowId: sessionFlow, afterSeq: 4, limit: 256 });
  scheduler.answerRead(0, 1, [queueRow(5, sessionFlow, '491'), queueRow(7, sessionFlow, '492')]);
  assert.deepEqual(takeSeqs(scheduler, 0), [5, 7]);
});

test('a row that finished while its number was being read for opening does not come back', () => {
  const scheduler = openScheduler();
  const row = queueRow(5, sessionFlow, '491');
  scheduler.offer(0, [row]);
  scheduler.take(0, 1);
  scheduler.closeNumber(1);
  scheduler.expectNumber(1);
  scheduler.settle(0, 5, { kind: 'done' });
  scheduler.openNumber(0, opening({ flows: [{ flowId: sessionFlow, rows: [row], more: false }] }));
  assert.deepEqual(takeSeqs(scheduler, 0), []);
});

test('a failed read is wanted again', () => {
  const scheduler = openScheduler({ flows: [{ flowId: sessionFlow, rows: [], more: true }] });
  const [first] = scheduler.takeReads(0, 9);
  assert.deepEqual(scheduler.takeReads(0, 9), []);
  scheduler.failRead(0, first?.id ?? 0);
  const [second] = scheduler.takeReads(0, 9);
  assert.deepEqual({ ...second, id: first?.id }, first);
});

test('numbers take turns in reading', () => {
  const scheduler = createScheduler();
  for (const numberId of [1, 2]) {
    const flows = [otpFlow, sessionFlow].map((flowId) => ({ flowId, rows: [], more: true }));
    scheduler.openNumber(0, opening({ numberId, flows }));
  }
  assert.deepEqual(
    scheduler.takeReads(0, 9).map(({ numberId }) => numberId),
    [1, 2, 1, 2],
  );
});

test('a row offered during a read of its recipient is not passed by that read', () => {
  const scheduler = openScheduler({
    flows: [{ flowId: marketingFlow, rows: [queueRow(10, marketingFlow, '499')], more: true }],
  });
  scheduler.offer(0, [queueRow(20, otpFlow, '491')]);
  const reads = scheduler.takeReads(0, 9);
  const read = reads.find(({ kind }) => kind === 'recipient');
  // Committed after the snapshot of the read, which shows row 30 but not row 15.
  scheduler.offer(0, [queueRow(15, marketingFlow, '491')]);
  scheduler.answerRead(0, read?.id ?? 0, [queueRow(20, otpFlow, '491'), queueRow(30, marketingFlow, '491')]);
  assert.deepEqual(
    drain(scheduler, 0, 9).map(({ seq }) => seq),
    [15, 20, 10, 30],
  );
});

test('a ready message is read for again when an older row of its recipient may have been left to the table', () => {
  const scheduler = openScheduler({}, { windowRecipients: 1 });
  scheduler.offer(0, [queueRow(400, sessionFlow, '491'), queueRow(100, marketingFlow, '492')]);
  scheduler.offer(0, [queueRow(300, marketingFlow, '491')]);
  assert.deepEqual(takeSeqs(scheduler, 0), [100]);
  const requests = scheduler.takeReads(0, 9).filter(({ kind }) => kind === 'recipient');
  const [request] = requests;
  assert.ok(request?.kind === 'recipient' && request.recipient === '491');
  scheduler.answerRead(0, request.id, [queueRow(300, marketingFlow, '491'), queueRow(400, sessionFlow, '491')]);
  assert.deepEqual(takeSeqs(scheduler, 0), [300]);
});

test('when too many recipients wait, flows are read on only after some have gone', () => {
  const rows = [queueRow(1, sessionFlow, '491', { dueAtMs: 100 }), queueRow(2, sessionFlow, '492', { dueAtMs: 200 })];
  const scheduler = openScheduler({ flows: [{ flowId: sessionFlow, rows, more: true }] }, { waitingRecipientsMax: 2 });
  assert.deepEqual(scheduler.takeReads(0, 9), []);
  assert.deepEqual(takeSeqs(scheduler, 100), [1]);
  assert.equal(scheduler.takeReads(100, 9).length, 1);
});

test('the explanation of a number accounts for every message and why it waits', () => {
  const scheduler = openScheduler({ ratePerSecond: 100, inFlightMax: 7 }, { paceToleranceMs: 0 });
  scheduler.offer(0, [
    queueRow(1, otpFlow, '491'),
    queueRow(2, sessionFlow, '491'),
    queueRow(3, sessionFlow, '492', { dueAtMs: 700 }),
    queueRow(4, marketingFlow, '493'),
    queueRow(5, marketingFlow, '494'),
  ]);
  scheduler.penalizePair(0, 1, '493', 900);
  scheduler.take(0, 1);
  assert.deepEqual(scheduler.explain(0, 1), {
    numberId: 1,
    organizationId: 'o1',
    flows: [
      { flowId: otpFlow, weight: 16, queued: 0, readyRecipients: 0, more: false },
      { flowId: sessionFlow, weight: 8, queued: 2, readyRecipients: 0, more: false },
      { flowId: marketingFlow, weight: 1, queued: 2, readyRecipients: 1, more: false },
    ],
    queued: 4,
    inFlight: 1,
    inFlightMax: 7,
    held: 0,
    readyRecipients: 1,
    pairLimited: { recipients: 1, nextAtMs: 900 },
    notDue: { recipients: 1, nextAtMs: 700 },
    unreadRecipients: 0,
    oldestAcceptedAtMs: 1,
    ratePerSecond: 100,
    paceAtMs: 10,
    paused: false,
    parked: null,
  });
  assert.equal(scheduler.explain(0, 2), null);
});

test('opening an open number and settings that are not positive are refused', () => {
  const scheduler = openScheduler();
  assert.throws(() => scheduler.openNumber(0, opening()), /open already/);
  assert.throws(() => scheduler.setRate(0, 1, 0), RangeError);
  assert.throws(() => scheduler.setOrganizationWeight('o1', -1), RangeError);
  assert.throws(() => scheduler.openNumber(0, opening({ numberId: 2, ratePerSecond: Number.NaN })), RangeError);
  assert.throws(() => createScheduler({ pairBurst: 0 }), RangeError);
  assert.throws(() => createScheduler({ classWeights: [1, 1, 0, 1] }), RangeError);
  assert.equal(scheduler.isOpen(2), false);
});
