import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  drain,
  marketingFlow,
  opening,
  otpFlow,
  queueRow,
  sessionFlow,
} from '../../../test/support/scheduler-model/queue-rows.ts';
import { ShareReferee } from '../../../test/support/scheduler-model/share-referee.ts';
import { StoredBacklog } from '../../../test/support/scheduler-model/stored-backlog.ts';
import { flowIdOf, type QueueRow, Scheduler, trafficClasses, trafficClassNameOf } from './index.ts';

const classWeights = { authentication: 16, session: 8, utility: 8, marketing: 1 };

/** Returns `count` rows of one flow, each to a different recipient. */
function rowsOf(flowId: number, count: number, firstSeq: number, change: Partial<QueueRow> = {}): QueueRow[] {
  return Array.from({ length: count }, (_, index) => {
    const seq = firstSeq + index;
    return queueRow(seq, flowId, `49${seq}`, change);
  });
}

test('flows with work: any interval → share the number by weight, within one message each', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(sizes, (counts) => {
      const scheduler = new Scheduler({ classWeights });
      scheduler.openNumber(0, opening());
      const flowIds = counts.map((_, index) => flowIdOf(1 + (index >> 2), trafficClasses.authentication) + (index & 3));
      let seq = 1;
      for (const [index, flowId] of flowIds.entries()) {
        scheduler.offer(0, rowsOf(flowId, counts[index] ?? 0, seq));
        seq += counts[index] ?? 0;
      }
      const left = [...counts];
      const referee = new ShareReferee(flowIds.map((flowId) => classWeights[trafficClassNameOf(flowId)]));
      for (const { flowId } of drain(scheduler, 0, seq)) {
        const index = flowIds.indexOf(flowId);
        referee.see(left.map((count) => count > 0));
        referee.serve(index);
        left[index] = (left[index] ?? 0) - 1;
      }
      assert.deepEqual(new Set(left), new Set([0]));
    }),
    { numRuns: 50 },
  );
});

test('organizations with work → share the node by weight, their numbers equally', () => {
  const scheduler = new Scheduler();
  const numbers = [
    { numberId: 1, organizationId: 'small', organizationWeight: 1 },
    { numberId: 2, organizationId: 'large', organizationWeight: 3 },
    { numberId: 3, organizationId: 'large', organizationWeight: 3 },
  ];
  for (const number of numbers) {
    scheduler.openNumber(0, opening(number));
    scheduler.offer(0, rowsOf(marketingFlow, 250, number.numberId * 1000, number));
  }
  const turns = Map.groupBy(drain(scheduler, 0, 400), ({ numberId }) => numberId);
  assert.deepEqual(
    numbers.map(({ numberId }) => turns.get(numberId)?.length),
    [100, 150, 150],
  );
});

test('unanswered messages of some organizations → others still have room in flight', () => {
  const scheduler = new Scheduler({ inFlightMax: 1_024 });
  const take = () => Map.groupBy(scheduler.take(0, 5_000), ({ organizationId }) => organizationId);
  const open = (numberId: number, organizationId: string) => {
    scheduler.openNumber(0, opening({ numberId, organizationId, ratePerSecond: 1e6, inFlightMax: 1_000 }));
    scheduler.offer(0, rowsOf(marketingFlow, 200, numberId * 1_000, { numberId }));
  };
  for (let numberId = 1; numberId <= 8; numberId += 1) open(numberId, 'silent');
  const silent = take().get('silent') ?? [];
  assert.equal(silent.length, 896);
  assert.deepEqual(take().size, 0);
  for (let numberId = 9; numberId <= 12; numberId += 1) open(numberId, 'as silent');
  assert.equal(take().get('as silent')?.length, 112);
  open(13, 'other');
  assert.equal(take().get('other')?.length, 14);
  assert.equal(scheduler.nextWakeMs(0), null, 'the others have lost their turns');
  for (const { seq } of silent.slice(0, 8)) scheduler.settle(0, seq, { kind: 'done' });
  const turns = take();
  assert.deepEqual([...turns.keys()], ['other']);
  scheduler.closeNumber(1);
  assert.ok((take().get('as silent')?.length ?? 0) > 0, 'settled messages take no room');
});

test('closed number: had messages in flight → takes no room from its organization', () => {
  const scheduler = new Scheduler({ inFlightMax: 64 });
  for (const numberId of [1, 2]) {
    scheduler.openNumber(0, opening({ numberId, ratePerSecond: 1e6, inFlightMax: 1_000 }));
    scheduler.offer(0, rowsOf(marketingFlow, 200, numberId * 1_000, { numberId }));
  }
  const before = scheduler.take(0, 1_000);
  scheduler.closeNumber(1);
  for (const { seq } of before) scheduler.settle(0, seq, { kind: 'done' });
  assert.equal(scheduler.take(0, 1_000).length, before.length);
});

test('new organization weight → applies at once', () => {
  const scheduler = new Scheduler();
  for (const numberId of [1, 2]) {
    scheduler.openNumber(0, opening({ numberId, organizationId: `o${numberId}` }));
    scheduler.offer(0, rowsOf(marketingFlow, 250, numberId * 1000, { numberId }));
  }
  drain(scheduler, 0, 50);
  scheduler.setOrganizationWeight('o1', 4);
  const turns = drain(scheduler, 0, 100).filter(({ numberId }) => numberId === 1).length;
  assert.ok(turns >= 79 && turns <= 81, `${turns} of 100`);
});

test('organization weight: several numbers → the latest opening sets it', () => {
  const scheduler = new Scheduler();
  for (const numberId of [1, 2]) {
    scheduler.openNumber(0, opening({ numberId, organizationId: `o${numberId}` }));
    scheduler.offer(0, rowsOf(marketingFlow, 150, numberId * 1000, { numberId }));
  }
  scheduler.openNumber(0, opening({ numberId: 3, organizationId: 'o1', organizationWeight: 4 }));
  const turns = drain(scheduler, 0, 100).filter(({ numberId }) => numberId === 1).length;
  assert.ok(turns >= 79 && turns <= 81, `${turns} of 100`);
});

test('code behind 2,000 marketing messages → goes with the next slot', () => {
  const scheduler = new Scheduler();
  scheduler.openNumber(0, opening({ ratePerSecond: 80 }));
  const backlog = new StoredBacklog(2000, 5000);
  scheduler.offer(
    0,
    backlog.read({ kind: 'flow', id: 0, numberId: 1, flowId: marketingFlow, afterSeq: 0, limit: 2000 }),
  );
  let nowMs = 0;
  for (; nowMs < 1000; nowMs += 12.5) {
    for (const { seq } of drain(scheduler, nowMs, 10)) backlog.finished.add(seq);
    backlog.answerReads(scheduler, nowMs);
  }
  scheduler.offer(nowMs, [queueRow(9001, otpFlow, '4477')]);
  backlog.answerReads(scheduler, nowMs);
  const [next] = drain(scheduler, nowMs + 12.5, 1);
  assert.equal(next?.seq, 9001);
});

test('code: older message to its recipient deep in the table → that one goes first', () => {
  const scheduler = new Scheduler();
  const backlog = new StoredBacklog(100_000, 30_000);
  const rows = backlog.read({ kind: 'flow', id: 0, numberId: 1, flowId: marketingFlow, afterSeq: 0, limit: 64 });
  scheduler.openNumber(0, opening({ ratePerSecond: 80, flows: [{ flowId: marketingFlow, rows, more: true }] }));
  backlog.answerReads(scheduler, 0);
  const otp = queueRow(200_001, otpFlow, backlog.recipientOf(25_000));
  scheduler.offer(0, [otp]);
  backlog.answerReads(scheduler, 0);
  const order: number[] = [];
  for (let slot = 0; slot < 12; slot += 1) order.push(...drain(scheduler, slot * 12.5 + 100, 1).map(({ seq }) => seq));
  const own = order.filter((seq) => seq >= 25_000);
  assert.deepEqual(own, [25_000, 55_000, 85_000, otp.seq]);
  assert.ok(order.indexOf(otp.seq) <= 5, order.join());
});

test('urgent messages that move others → do not starve a third flow', () => {
  const scheduler = new Scheduler();
  scheduler.openNumber(0, opening());
  const bystander = flowIdOf(2, trafficClasses.marketing);
  const rows: QueueRow[] = [];
  for (let recipient = 0; recipient < 200; recipient += 1) {
    for (let seq = 0; seq < 5; seq += 1) {
      rows.push(queueRow(recipient * 10 + seq, seq < 4 ? marketingFlow : otpFlow, `49${recipient}`));
    }
  }
  scheduler.offer(0, rows);
  scheduler.offer(0, rowsOf(bystander, 50, 10_000));
  const order = drain(scheduler, 0, 510);
  const turns = order.filter(({ flowId }) => flowId === bystander).length;
  assert.ok(turns >= 29, `${turns} of 510 turns for a flow of weight 1 against one of weight 16`);
});

test('many waiting recipients of one flow → another flow is read and gets the next slot', () => {
  const scheduler = new Scheduler({ waitingRecipientsMax: 20, windowRecipients: 4 });
  scheduler.openNumber(0, opening());
  scheduler.offer(0, rowsOf(marketingFlow, 20, 1, { dueAtMs: 60_000 }));
  scheduler.offer(0, rowsOf(otpFlow, 1, 21, { dueAtMs: 60_000 }));
  const codes = rowsOf(otpFlow, 30, 101);
  scheduler.offer(0, codes);
  const sent = new Set<number>();
  for (let slot = 0; slot < codes.length; slot += 1) {
    for (const { seq } of drain(scheduler, slot, 1)) sent.add(seq);
    for (const { id, kind, afterSeq, limit } of scheduler.takeReads(slot, 9)) {
      assert.equal(kind, 'flow');
      scheduler.answerRead(slot, id, codes.filter(({ seq }) => seq > afterSeq && !sent.has(seq)).slice(0, limit));
    }
  }
  assert.deepEqual(
    [...sent],
    codes.map(({ seq }) => seq),
  );
});

test('500 messages to one recipient → in order, without delaying other recipients', () => {
  const scheduler = new Scheduler();
  scheduler.openNumber(0, opening({ ratePerSecond: 100 }));
  scheduler.offer(
    0,
    Array.from({ length: 500 }, (_, index) => queueRow(index + 1, sessionFlow, '491')),
  );
  scheduler.offer(0, rowsOf(sessionFlow, 100, 1001));
  const atMs = new Map<number, number>();
  for (let nowMs = 0; nowMs < 3000; nowMs += 10) {
    for (const { seq } of scheduler.take(nowMs, 10)) {
      atMs.set(seq, nowMs);
      scheduler.settle(nowMs, seq, { kind: 'done' });
    }
    for (const request of scheduler.takeReads(nowMs, 10)) {
      const all = Array.from({ length: 500 }, (_, index) => queueRow(index + 1, sessionFlow, '491'));
      const rows = all.filter(({ seq }) => seq > request.afterSeq && !atMs.has(seq));
      scheduler.answerRead(nowMs, request.id, rows.slice(0, request.limit));
    }
  }
  const own = [...atMs.keys()].filter((seq) => seq <= 500);
  assert.deepEqual(
    own,
    [...own].sort((a, b) => a - b),
  );
  assert.equal(own.length, 45);
  assert.equal(atMs.size, 145);
  assert.ok(Math.max(...atMs.values()) <= 1500);
});

test('number with work: stalls below its tolerance → uses its full rate', () => {
  const scheduler = new Scheduler({ paceToleranceMs: 50 });
  scheduler.openNumber(0, opening({ ratePerSecond: 80 }));
  const backlog = new StoredBacklog(10_000, 20_000);
  scheduler.offer(0, [queueRow(1, marketingFlow, backlog.recipientOf(1))]);
  scheduler.offer(
    0,
    backlog.read({ kind: 'flow', id: 0, numberId: 1, flowId: marketingFlow, afterSeq: 1, limit: 600 }),
  );
  let sent = 0;
  let nowMs = 0;
  while (nowMs < 10_000) {
    for (const { seq } of drain(scheduler, nowMs, 10)) {
      backlog.finished.add(seq);
      sent += 1;
    }
    backlog.answerReads(scheduler, nowMs);
    nowMs = (scheduler.nextWakeMs(nowMs) ?? Number.NaN) + (sent % 5) * 10;
  }
  // The last stall is not caught up yet.
  assert.ok(sent >= 797 && sent <= 802, `${sent} messages in 10 s at 80/s`);
});

test('parked number with a million rows → not read, takes no turn', () => {
  const scheduler = new Scheduler();
  const backlog = new StoredBacklog(1_000_000, 2_000_000);
  scheduler.openNumber(0, opening({ flows: [{ flowId: marketingFlow, rows: [], more: true }] }));
  scheduler.parkNumber(0, 1, 60_000, '130429');
  scheduler.openNumber(0, opening({ numberId: 2 }));
  for (let nowMs = 0; nowMs < 60_000; nowMs += 500) {
    scheduler.offer(nowMs, [queueRow(2_000_000 + nowMs, sessionFlow, `44${nowMs}`, { numberId: 2 })]);
    backlog.answerReads(scheduler, nowMs);
    for (const { numberId } of drain(scheduler, nowMs, 10)) assert.equal(numberId, 2);
    assert.equal(scheduler.totals().messages, 0);
  }
  assert.equal(backlog.reads, 0);
  assert.equal(scheduler.nextWakeMs(59_999), 60_000);
  backlog.answerReads(scheduler, 60_000);
  assert.equal(drain(scheduler, 60_000, 10).length, 10);
});

test('a million waiting rows → only windows in memory, reads proportional to sends', () => {
  const scheduler = new Scheduler();
  const backlog = new StoredBacklog(1_000_000, 300_000);
  scheduler.openNumber(0, opening({ ratePerSecond: 1000, flows: [{ flowId: marketingFlow, rows: [], more: true }] }));
  let sent = 0;
  let messagesMax = 0;
  for (let nowMs = 0; sent < 10_000; nowMs += 1) {
    backlog.answerReads(scheduler, nowMs);
    for (const { seq } of drain(scheduler, nowMs, 10)) {
      backlog.finished.add(seq);
      sent += 1;
    }
    messagesMax = Math.max(messagesMax, scheduler.totals().messages);
  }
  assert.ok(messagesMax <= 256 + 128, `${messagesMax} messages in memory`);
  assert.ok(backlog.reads <= sent / 128, `${backlog.reads} reads`);
});

test('every pair limited → a few messages of each in memory, whatever the backlog', () => {
  const scheduler = new Scheduler();
  const backlog = new StoredBacklog(1_000_000, 100);
  scheduler.openNumber(0, opening({ ratePerSecond: 1000, flows: [{ flowId: marketingFlow, rows: [], more: true }] }));
  let sent = 0;
  for (let nowMs = 0; nowMs < 30_000; nowMs += 5) {
    backlog.answerReads(scheduler, nowMs);
    for (const { seq } of drain(scheduler, nowMs, 10)) {
      backlog.finished.add(seq);
      sent += 1;
    }
  }
  // 100 pairs × (a burst of 45 and one per 6 s).
  assert.ok(sent >= 4900 && sent <= 5000, `${sent} sent`);
  assert.ok(scheduler.totals().messages <= 400, JSON.stringify(scheduler.totals()));
});

test('empty flow: returns after many others came and went → keeps to its share', () => {
  const scheduler = new Scheduler();
  const busy = flowIdOf(1, trafficClasses.utility);
  const returning = flowIdOf(2, trafficClasses.utility);
  scheduler.openNumber(0, opening({ flows: [{ flowId: busy, rows: rowsOf(busy, 200, 1), more: false }] }));
  const turns: number[] = [];
  for (let seq = 1_000; turns.length < 60; seq += 1) {
    for (let key = 10; key < 30; key += 1, seq += 1) {
      const row = queueRow(seq, flowIdOf(key, trafficClasses.utility), `49${seq}`, { dueAtMs: 1 });
      scheduler.offer(0, [row]);
      scheduler.forget(0, row);
    }
    if (turns.at(-1) !== busy) scheduler.offer(0, rowsOf(returning, 1, seq));
    turns.push(...drain(scheduler, 0, 1).map(({ flowId }) => flowId));
  }
  assert.equal(turns.filter((flowId) => flowId === busy).length, 30);
});

test('idle recipients, flows and pair states → forgotten', () => {
  const scheduler = new Scheduler();
  scheduler.openNumber(0, opening());
  let seq = 1;
  for (let key = 1; key <= 1000; key += 1) {
    scheduler.offer(key, [queueRow(seq, flowIdOf(key, trafficClasses.utility), `49${seq}`)]);
    drain(scheduler, key, 10);
    seq += 1;
  }
  const { flows, recipients, messages } = scheduler.totals();
  assert.deepEqual([messages, recipients], [0, 1000]);
  assert.ok(flows <= 16, `${flows} flows`);
  scheduler.take(8000, 1);
  assert.equal(scheduler.totals().recipients, 0);
});
