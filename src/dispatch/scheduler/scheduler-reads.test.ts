import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  drain,
  marketingFlow,
  opening,
  openScheduler,
  otpFlow,
  queueRow,
  sessionFlow,
  takeSeqs,
} from '../../../test/support/scheduler-model/queue-rows.ts';
import { flowIdOf, Scheduler, trafficClasses } from './index.ts';

test('closing a number → forgets everything of it', () => {
  const scheduler = openScheduler({ inFlightMax: 2 });
  scheduler.offer(
    0,
    [1, 2, 3, 4].map((seq) => queueRow(seq, seq > 2 ? otpFlow : sessionFlow, `49${seq}`)),
  );
  const inFlight = takeSeqs(scheduler, 0);
  const [held = 0, flying = 0] = inFlight;
  scheduler.settle(0, held, { kind: 'hold', untilMs: 10 });
  scheduler.closeNumber(1);
  const { finishedRemembered: _, ...sizes } = scheduler.totals();
  assert.deepEqual(new Set(Object.values(sizes)), new Set([0]));
  assert.deepEqual(
    [scheduler.settle(0, flying, { kind: 'done' }), scheduler.endHold(0, held, { kind: 'done' })],
    [false, false],
  );
  assert.deepEqual([scheduler.take(0, 9), scheduler.expiredHolds(99), scheduler.nextWakeMs(0)], [[], [], null]);
  assert.equal(scheduler.isOpen(1), false);
});

test('read answer: number closed and reopened meanwhile → ignored', () => {
  const behind = { flows: [{ flowId: sessionFlow, rows: [], more: true }] };
  const scheduler = openScheduler(behind);
  const [request] = scheduler.takeReads(0, 9);
  scheduler.closeNumber(1);
  scheduler.openNumber(0, opening());
  scheduler.answerRead(0, request?.id ?? 0, [queueRow(1, sessionFlow, '491')]);
  assert.deepEqual(takeSeqs(scheduler, 0), []);
});

test('number: waiting messages in many flows → opened with all of them', () => {
  const flows = Array.from({ length: 40 }, (_, index) => {
    const flowId = flowIdOf(1 + index, trafficClasses.utility);
    return { flowId, rows: [queueRow(1 + index, flowId, `49${index}`)], more: false };
  });
  const scheduler = openScheduler({ flows });
  assert.equal(takeSeqs(scheduler, 0).length, 40);
});

test('unread rows of a flow: many flows come and go → still before younger ones to the person', () => {
  const scheduler = openScheduler({ flows: [{ flowId: sessionFlow, rows: [], more: true }] });
  const [read] = scheduler.takeReads(0, 9);
  for (let key = 10; key < 50; key += 1) {
    const row = queueRow(10_000 + key, flowIdOf(key, trafficClasses.utility), `49${key}`);
    scheduler.offer(0, [row]);
    scheduler.forget(0, row);
  }
  const rows = Array.from({ length: read?.limit ?? 0 }, (_, index) => queueRow(1 + index, sessionFlow, `48${index}`));
  scheduler.answerRead(0, read?.id ?? 0, rows);
  scheduler.offer(0, [queueRow(20_000, otpFlow, '491')]);
  assert.equal(takeSeqs(scheduler, 0, 1_000).includes(20_000), false);
});

test('rows for numbers that are not open → refused, with the number ids returned', () => {
  const scheduler = openScheduler();
  const strangers = [
    queueRow(1, sessionFlow, '491', { numberId: 8 }),
    queueRow(2, sessionFlow, '491', { numberId: 9 }),
  ];
  assert.deepEqual(scheduler.offer(0, [...strangers, queueRow(3, sessionFlow, '492')]), [8, 9]);
  assert.deepEqual(takeSeqs(scheduler, 0), [3]);
});

test('row offered during the opening read: the opening lacks it → read again', () => {
  const scheduler = new Scheduler();
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

test('row finished during the opening read → does not come back', () => {
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

test('failed read → wanted again', () => {
  const scheduler = openScheduler({ flows: [{ flowId: sessionFlow, rows: [], more: true }] });
  const [first] = scheduler.takeReads(0, 9);
  assert.deepEqual(scheduler.takeReads(0, 9), []);
  scheduler.answerRead(0, first?.id ?? 0, null);
  const [second] = scheduler.takeReads(0, 9);
  assert.deepEqual({ ...second, id: first?.id }, first);
});

test('several numbers → take turns in reading', () => {
  const scheduler = new Scheduler();
  for (const numberId of [1, 2]) {
    const flows = [otpFlow, sessionFlow].map((flowId) => ({ flowId, rows: [], more: true }));
    scheduler.openNumber(0, opening({ numberId, flows }));
  }
  assert.deepEqual(
    scheduler.takeReads(0, 9).map(({ numberId }) => numberId),
    [1, 2, 1, 2],
  );
});

test('row offered during a read of its recipient → not passed by that read', () => {
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

test('ready message: an older row may be left to the table → its recipient is read again', () => {
  const scheduler = openScheduler({}, { windowRecipients: 1 });
  scheduler.offer(0, [queueRow(400, sessionFlow, '491'), queueRow(100, marketingFlow, '492')]);
  scheduler.offer(0, [queueRow(300, marketingFlow, '491')]);
  assert.deepEqual(takeSeqs(scheduler, 0), [100]);
  const requests = scheduler.takeReads(0, 9).filter(({ kind }) => kind === 'recipient');
  const [request] = requests;
  assert.ok(request?.kind === 'recipient' && request.contact === '491');
  scheduler.answerRead(0, request.id, [queueRow(300, marketingFlow, '491'), queueRow(400, sessionFlow, '491')]);
  assert.deepEqual(takeSeqs(scheduler, 0), [300]);
});

test('flow: its waiting messages are removed → read on, whatever waits in other flows', () => {
  const others = [1, 2, 3].map((seq) => queueRow(seq, marketingFlow, `48${seq}`, { dueAtMs: 60_000 }));
  const rows = [11, 12, 13, 14].map((seq) => queueRow(seq, sessionFlow, `49${seq % 2}`, { dueAtMs: 60_000 }));
  const flows = [
    { flowId: marketingFlow, rows: others, more: false },
    { flowId: sessionFlow, rows, more: true },
  ];
  const scheduler = openScheduler({ flows }, { waitingRecipientsMax: 2, windowRecipients: 8 });
  assert.deepEqual(scheduler.takeReads(0, 9), []);
  for (const row of rows) scheduler.forget(0, row);
  assert.deepEqual(
    scheduler.takeReads(0, 9).map((read) => read.kind === 'flow' && read.flowId),
    [sessionFlow],
  );
});

test('too many waiting recipients: flow with its share → read on only after some have left', () => {
  const rows = [queueRow(1, sessionFlow, '491', { dueAtMs: 100 }), queueRow(2, sessionFlow, '492', { dueAtMs: 200 })];
  const scheduler = openScheduler(
    { flows: [{ flowId: sessionFlow, rows, more: true }] },
    { waitingRecipientsMax: 2, windowRecipients: 4 },
  );
  assert.deepEqual(scheduler.takeReads(0, 9), []);
  assert.deepEqual(takeSeqs(scheduler, 100), [1]);
  assert.equal(scheduler.takeReads(100, 9).length, 1);
});

test('explanation: several reasons → counts the waiting recipients by reason', () => {
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
    readyRecipients: 1,
    pairLimitedRecipients: 1,
    notDueRecipients: 1,
    inFlight: 1,
    held: 0,
    isPaced: true,
    paused: false,
    parked: null,
  });
  assert.partialDeepStrictEqual(scheduler.explain(0, 1, '491'), { inFlight: 1, readyRecipients: 0 });
  assert.partialDeepStrictEqual(scheduler.explain(0, 1, '494'), { inFlight: 0, readyRecipients: 1 });
  assert.partialDeepStrictEqual(scheduler.explain(0, 1, '493'), { pairLimitedRecipients: 1, notDueRecipients: 0 });
  assert.equal(scheduler.explain(0, 2), null);
});

test('stopped number: a pair limit has passed → explained as ready, not as a retry', () => {
  const scheduler = openScheduler();
  scheduler.offer(0, [queueRow(1, sessionFlow, '491')]);
  scheduler.penalizePair(0, 1, '491', 900);
  scheduler.setPaused(0, 1, true);
  const expected = { readyRecipients: 1, pairLimitedRecipients: 0, notDueRecipients: 0, paused: true };
  assert.partialDeepStrictEqual(scheduler.explain(1_000, 1), expected);
});

test('opening an open number, or a setting that is not positive → refused', () => {
  const scheduler = openScheduler();
  assert.throws(() => scheduler.openNumber(0, opening()), /open already/);
  assert.throws(() => scheduler.setPace(0, 1, { ratePerSecond: 0, inFlightMax: 1 }), RangeError);
  assert.throws(() => scheduler.setOrganizationWeight('o1', -1), RangeError);
  assert.throws(() => scheduler.openNumber(0, opening({ numberId: 2, ratePerSecond: Number.NaN })), RangeError);
  assert.equal(scheduler.isOpen(2), false);
});
