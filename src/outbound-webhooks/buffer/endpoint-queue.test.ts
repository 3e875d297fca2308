import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import {
  conclude,
  countKnown,
  createQueue,
  delivered,
  event,
  fill,
  insert,
  retryIn,
  signer,
  tableOf,
  takeAll,
} from '../../../test/support/outbound-webhooks/endpoint-queue.ts';
import { QueueTable } from '../../../test/support/outbound-webhooks/queue-table.ts';
import { sampleEndpoint } from '../../../test/support/outbound-webhooks/sample-endpoint.ts';
import { WindowRoom } from './window-room.ts';

test('pause: endpoint asked for it → nothing goes before its end', () => {
  const table = tableOf(10);
  const queue = createQueue();
  fill(queue, table, 0);
  const [first, second] = [queue.take(0, 2), queue.take(0, 2)];
  assert.ok(first && second);
  assert.equal(queue.take(0, 2), undefined, 'no more at once than is allowed');
  conclude(queue, table, first, retryIn(60_000, 60_000), 0);
  conclude(queue, table, second, retryIn(5_000), 0);
  fill(queue, table, 59_999);
  assert.deepEqual(takeAll(queue, 59_999), []);
  assert.ok((queue.wakeAtMs() ?? 0) >= 60_000);
  fill(queue, table, 60_000);
  assert.ok(takeAll(queue, 60_000).length > 0);

  const down = createQueue({ failuresInRow: 12, failingSinceMs: 0 });
  fill(down, table, 0);
  const probe = down.take(0, 1);
  assert.ok(probe);
  conclude(down, table, probe, retryIn(3_600_000, 3_600_000), 0);
  fill(down, table, 3_599_999);
  assert.deepEqual(takeAll(down, 3_599_999), []);
});

test('pause: conversation has more rows in the table → read when the pause ends', () => {
  const table = new QueueTable();
  Object.assign(table.insert('a'), { attempts: 4, dueAtMs: 0 });
  Object.assign(table.insert('c'), { attempts: 1, dueAtMs: 0 });
  table.insert('c');
  const queue = createQueue({ ordered: true });
  fill(queue, table, 0);
  const [first, second] = takeAll(queue, 0);
  assert.ok(first && second);
  conclude(queue, table, first, retryIn(7_200_000, 1_000), 0);
  conclude(queue, table, second, delivered, 0);
  fill(queue, table, 0);
  assert.equal(queue.wakeAtMs(), 1_000);
  fill(queue, table, 1_000);
  assert.equal(takeAll(queue, 1_000).length, 1);
});

test('retries: any number waits → read when the next one falls due, not before', () => {
  const table = tableOf(3, { attempts: 1, dueAtMs: 0 });
  insert(table, 497, { attempts: 1, dueAtMs: 60_000 });
  const queue = createQueue();
  const reads = fill(queue, table, 0);
  assert.ok(reads < 3, `${reads} reads`);
  const due = takeAll(queue, 0);
  assert.equal(due.length, 3);
  for (const entry of due) conclude(queue, table, entry, delivered, 0);
  assert.equal(queue.beginRead(59_999), undefined);
  assert.equal(queue.wakeAtMs(), 60_000);
  let left = 497;
  for (; left > 0; left -= 1) {
    fill(queue, table, 60_000);
    const entry = queue.take(60_000, 1_000);
    assert.ok(entry, `${left} are left to be read`);
    conclude(queue, table, entry, delivered, 60_000);
  }
  queue.news();
  fill(queue, table, 60_000);
  assert.equal(queue.wakeAtMs(), undefined);
  insert(table, 100);
  queue.news();
  fill(queue, table, 60_000);
  assert.equal(takeAll(queue, 60_000).length, 32, 'however many it has taken, no more at once');
});

test('long queue of retries: fresh row behind them → reached; retries read when due', () => {
  const table = tableOf(2_500, { attempts: 1, dueAtMs: 60_000 });
  insert(table, 1);
  const queue = createQueue();
  const reads = fill(queue, table, 0);
  assert.equal(reads, 3);
  const seqs = (nowMs: number) => takeAll(queue, nowMs).map(({ row }) => row.seq);
  assert.deepEqual(seqs(0), [2_501]);
  assert.equal(queue.beginRead(59_999), undefined);
  fill(queue, table, 60_000);
  assert.deepEqual(seqs(60_000), [1, 2, 3, 4, 5, 6, 7]);
});

test('retry among fresh rows: falls due at that moment → goes as a retry, in its order', () => {
  const table = new QueueTable();
  table.lookedAtMax = 1;
  const queue = createQueue({ ordered: true });
  const retry = Object.assign(table.insert('c'), { attempts: 1, dueAtMs: 0 });
  const next = table.insert('c');
  const read = queue.beginRead(0);
  assert.ok(read);
  queue.endRead(read, table.read(read, queue, 0), 0, 0.0001);
  fill(queue, table, 0);
  assert.deepEqual(takeAll(queue, 0), []);
  for (const expected of [retry, next]) {
    fill(queue, table, 1);
    const [entry] = takeAll(queue, 1);
    assert.equal(entry?.row.seq, expected.seq);
    conclude(queue, table, entry, delivered, 1);
  }
});

test('row: read before it is offered → goes once', () => {
  const table = new QueueTable();
  const queue = createQueue({ ordered: true });
  fill(queue, table, 0);
  const entries = Array.from({ length: 11 }, () => ({ row: table.insert('c'), event }));
  queue.offer(entries.slice(0, 10));
  const order: number[] = [];
  const goOn = () => {
    for (const entry of takeAll(queue, 0)) {
      order.push(entry.row.seq);
      conclude(queue, table, entry, delivered, 0);
      goOn();
    }
  };
  goOn();
  fill(queue, table, 0);
  queue.offer(entries.slice(10));
  goOn();
  assert.deepEqual(order, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test('rate: set by the owner → in force at once', () => {
  const table = tableOf(20);
  const queue = createQueue();
  fill(queue, table, 0);
  queue.change(sampleEndpoint({ ratePerSecond: 5, updatedAtMs: 1 }), signer);
  assert.equal(takeAll(queue, 0).length, 2);
  assert.equal(queue.wakeAtMs(), 200);
});

test('endpoint: disabled → nothing goes; enabled again → everything that waited goes', () => {
  const table = tableOf(5);
  const queue = createQueue();
  fill(queue, table, 0);
  queue.change(sampleEndpoint({ disabled: { atMs: 0, reason: 'owner' } }), signer);
  fill(queue, table, 0);
  assert.deepEqual(takeAll(queue, 0), []);
  assert.equal(queue.wakeAtMs(), undefined);
  queue.change(sampleEndpoint({}), signer);
  fill(queue, table, 0);
  assert.equal(takeAll(queue, 0).length, 5);
});

test('endpoint: enabled or moved → tried at once; any other change → still paused', () => {
  const table = tableOf(20);
  const queue = createQueue();
  const failing = { failuresInRow: 1, failingSinceMs: 0 };
  fill(queue, table, 0);
  const first = queue.take(0, 1);
  assert.ok(first);
  conclude(queue, table, first, retryIn(60_000, 60_000), 0);
  queue.change(sampleEndpoint({ ...failing, description: 'mine', updatedAtMs: 1 }), signer);
  assert.deepEqual(takeAll(queue, 1), []);
  queue.change(sampleEndpoint({ updatedAtMs: 2 }), signer);
  const [second, ...others] = takeAll(queue, 2);
  assert.ok(second);
  assert.equal(others.length, 7);
  assert.deepEqual(queue.health, { failuresInRow: 0, failingSinceMs: null });
  conclude(queue, table, second, retryIn(60_000, 60_000), 3);
  queue.change(sampleEndpoint({ updatedAtMs: 2 }), signer);
  assert.equal(queue.health.failuresInRow, 1, 'read once more');
  queue.change(sampleEndpoint({ ...failing, url: 'https://elsewhere.example.com/', updatedAtMs: 3 }), signer);
  assert.equal(queue.health.failuresInRow, 0, 'whatever was noted after it had moved');
});

test('memory: long queue → one window; breaker open → next to nothing', () => {
  const table = tableOf(10_000);
  const offered = createQueue();
  fill(offered, new QueueTable(), 0);
  offered.offer([...table.rows.values()].map((row) => ({ row, event })));
  assert.equal(countKnown(table, offered), 64);
  const queue = createQueue();
  fill(queue, table, 0);
  assert.ok(countKnown(table, queue) <= 256 + 64, String(countKnown(table, queue)));
  for (let nowMs = 0; nowMs < 20; nowMs += 1) {
    fill(queue, table, nowMs);
    for (const entry of takeAll(queue, nowMs)) {
      conclude(queue, table, entry, retryIn(60_000), nowMs);
    }
  }
  fill(queue, table, 3_600_000);
  assert.ok(countKnown(table, queue) <= 16, String(countKnown(table, queue)));
});

describe('deliveries of long messages', () => {
  const [message] = [event.message].filter((facts) => facts !== null);
  assert.ok(message);
  const long = { ...event, message: { ...message, inboundMessage: 'x'.repeat(64 * 1024) } };
  const tables = { long: new QueueTable(long), short: new QueueTable() };
  for (const table of Object.values(tables)) insert(table, 1_000);

  it('many endpoints → bounded memory, half per organization, one delivery each', () => {
    const room = new WindowRoom();
    const queues = Array.from({ length: 400 }, (_, index) => {
      const queue = createQueue({ organizationId: index < 200 ? 'a' : 'b' }, undefined, room);
      fill(queue, tables.long, 0);
      return queue;
    });
    const heldBy = queues.map((queue) => countKnown(tables.long, queue));
    assert.ok(heldBy.every((held) => held >= 1));
    for (const ofOne of [heldBy.slice(0, 200), heldBy.slice(200)]) {
      const held = ofOne.reduce((total, number) => total + number, 0);
      assert.ok(held > 400 && held < 500, `${held} of one organization`);
    }
    for (const queue of queues) queue.close();
    assert.equal(queues[0]?.beginRead(0), undefined);
    const later = createQueue({ organizationId: 'a' }, undefined, room);
    fill(later, tables.long, 0);
    assert.equal(countKnown(tables.long, later), 64, 'who is gone holds nothing');
  });

  it('no shared memory left → short deliveries still go several at once', () => {
    const retries = tableOf(100, { attempts: 1, dueAtMs: 0 });
    for (const table of [tables.short, retries]) {
      const queue = createQueue({}, undefined, new WindowRoom(0));
      fill(queue, table, 0);
      assert.equal(takeAll(queue, 0).length, 8);
      fill(queue, table, 0);
      assert.equal(countKnown(table, queue), 16);
    }
  });

  it('no memory left → nothing more is read', () => {
    const queue = createQueue({}, undefined, new WindowRoom(0));
    fill(queue, tables.long, 0);
    assert.equal(countKnown(tables.long, queue), 1);
    assert.equal(queue.beginRead(0), undefined);
    const [first] = takeAll(queue, 0);
    assert.ok(first);
    assert.equal(queue.beginRead(0), undefined, 'under way, it takes memory as well');
    queue.answered(delivered, 0, 0);
    queue.recorded(first, delivered, 0);
    assert.ok(queue.beginRead(0));
  });
});
