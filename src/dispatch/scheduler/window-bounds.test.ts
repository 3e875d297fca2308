import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketingFlow, opening, queueRow } from '../../../test/support/scheduler-model/queue-rows.ts';
import { Scheduler } from './index.ts';

test('many numbers with waiting messages → memory stays within its bound', () => {
  const [numbers, rowsEach, messagesMax, windowRecipients, readsMax] = [500, 100, 2_000, 20, 64];
  const scheduler = new Scheduler({ messagesMax, windowRecipients });
  const table = Array.from({ length: numbers }, (_, number) =>
    Array.from({ length: rowsEach }, (__, row) =>
      queueRow(1 + row * numbers + number, marketingFlow, `49${row}`, { numberId: 1 + number }),
    ),
  );
  let most = 0;
  const look = (): void => {
    most = Math.max(most, scheduler.totals().messages);
  };
  for (const [index, rows] of table.entries()) {
    scheduler.openNumber(0, opening({ numberId: 1 + index }));
    scheduler.offer(0, rows);
    look();
  }
  const sent = new Set<number>();
  const sendAll = (): void => {
    for (let dispatches = scheduler.take(0, 500); dispatches.length > 0; dispatches = scheduler.take(0, 500)) {
      for (const { seq } of dispatches) {
        sent.add(seq);
        scheduler.settle(0, seq, { kind: 'done' });
      }
    }
  };
  sendAll();
  for (let reads = scheduler.takeReads(0, readsMax); reads.length > 0; reads = scheduler.takeReads(0, readsMax)) {
    for (const { id, numberId, afterSeq, limit } of reads) {
      const unread = table[numberId - 1]?.filter((row) => row.seq > afterSeq) ?? [];
      scheduler.answerRead(0, id, unread.slice(0, limit));
      look();
    }
    sendAll();
  }
  assert.equal(sent.size, numbers * rowsEach);
  assert.ok(most <= messagesMax + 4 * numbers + readsMax * windowRecipients, `${most} messages in memory`);
});

test('single flow → has its whole window', () => {
  const scheduler = new Scheduler();
  scheduler.openNumber(0, opening());
  const rows = Array.from({ length: 1_000 }, (_, row) => queueRow(1 + row, marketingFlow, `49${row}`));
  scheduler.offer(0, rows);
  assert.equal(scheduler.totals().messages, 256);
});
