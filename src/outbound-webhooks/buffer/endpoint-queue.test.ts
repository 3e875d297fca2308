import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { QueueTable } from '../../../test/support/outbound-webhooks/queue-table.ts';
import { sampleEndpoint } from '../../../test/support/outbound-webhooks/sample-endpoint.ts';
import { messageEvent } from '../../../test/support/outbound-webhooks/sample-events.ts';
import { seededRandom } from '../../core/seeded-random.ts';
import type { Verdict } from '../attempt/attempt-verdict.ts';
import { createSecret } from '../attempt/signature.ts';
import { createSigner } from '../attempt/webhook-request.ts';
import type { QueueRow } from '../queue/queue-queries.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import type { Entry } from './entry.ts';
import type { Read, ReadResult } from './queue-read.ts';
import { WindowRoom } from './window-room.ts';

const signer = createSigner('standard', createSecret('standard', 'hmac'), undefined);
const event = messageEvent({ type: 'message.sent' });
const delivered: Verdict = { kind: 'delivered' };
const retryIn = (afterMs: number, pauseMs = 0): Verdict => ({ kind: 'retry', afterMs, pauseMs });

/** Queues deliveries without a conversation. */
function insert(table: QueueTable, count: number, state: Partial<QueueRow> = {}): void {
  for (let row = 0; row < count; row += 1) Object.assign(table.insert(null), state);
}

function tableOf(count: number, state?: Partial<QueueRow>): QueueTable {
  const table = new QueueTable();
  insert(table, count, state);
  return table;
}

/** Counts the table's rows that are in memory. */
function countKnown(table: QueueTable, queue: EndpointQueue): number {
  return [...table.rows.keys()].filter((seq) => queue.knows(seq)).length;
}

function createQueue(options: Parameters<typeof sampleEndpoint>[0] = {}, random = () => 0.5, room = new WindowRoom()) {
  const endpoint = sampleEndpoint(options);
  return new EndpointQueue(endpoint, signer, room.open(endpoint.organizationId), random);
}

/** Reads until the queue has nothing to read at `nowMs`; returns the number of reads. */
function fill(queue: EndpointQueue, table: QueueTable, nowMs: number): number {
  let reads = 0;
  for (let read = queue.beginRead(nowMs); read !== undefined; read = queue.beginRead(nowMs)) {
    queue.endRead(read, table.read(read, queue, nowMs), nowMs, 0);
    reads += 1;
    assert.ok(reads < 1_000, 'reading comes to an end');
  }
  return reads;
}

/** Takes every delivery that may go at `nowMs`. */
function takeAll(queue: EndpointQueue, nowMs: number): Entry[] {
  const taken: Entry[] = [];
  for (let entry = queue.take(nowMs, 1_000); entry !== undefined; entry = queue.take(nowMs, 1_000)) taken.push(entry);
  return taken;
}

/** Ends an attempt and records it at once. */
function conclude(queue: EndpointQueue, table: QueueTable, entry: Entry, verdict: Verdict, nowMs: number): void {
  queue.answered(verdict, nowMs, nowMs);
  const row = table.rows.get(entry.row.seq);
  let dueMs = nowMs;
  if (verdict.kind === 'delivered' || verdict.kind === 'exhausted') table.rows.delete(entry.row.seq);
  else if (row !== undefined && verdict.kind !== 'void') {
    dueMs = nowMs + (verdict.kind === 'retry' ? verdict.afterMs : 0);
    row.attempts += 1;
    row.dueAtMs = dueMs;
  }
  queue.recorded(entry, verdict, dueMs);
}

describe('circuit breaker of an endpoint', () => {
  it('ten failures in a row → one probe per interval; one success → everything goes', () => {
    const table = tableOf(100);
    const queue = createQueue();
    let nowMs = 0;
    let failures = 0;
    while (failures < 10) {
      fill(queue, table, nowMs);
      for (const entry of takeAll(queue, nowMs)) {
        conclude(queue, table, entry, retryIn(5_000), nowMs);
        failures += 1;
      }
      nowMs += 1;
    }
    const triedBefore = [...table.rows.values()].filter((row) => row.attempts > 0).length;
    let probes = 0;
    const untilMs = nowMs + 60 * 60_000;
    for (; nowMs < untilMs; nowMs += 500) {
      fill(queue, table, nowMs);
      const taken = takeAll(queue, nowMs);
      assert.ok(taken.length <= 1);
      for (const entry of taken) {
        probes += 1;
        conclude(queue, table, entry, retryIn(24 * 60 * 60_000), nowMs);
      }
    }
    assert.ok(probes >= 12 && probes <= 20, `${probes} probes in an hour`);
    const tried = [...table.rows.values()].filter((row) => row.attempts > 0).length;
    assert.ok(tried <= triedBefore + probes, 'what was not probed has lost no attempt');

    nowMs += 10 * 60_000;
    fill(queue, table, nowMs);
    const [probe] = takeAll(queue, nowMs);
    assert.ok(probe);
    assert.equal(queue.health.failingSinceMs, 0);
    assert.deepEqual(queue.answered(delivered, nowMs, nowMs), { recovered: true });
    table.rows.delete(probe.row.seq);
    queue.recorded(probe, delivered, nowMs);
    fill(queue, table, nowMs);
    assert.ok(takeAll(queue, nowMs).length > 1);
  });

  it('open before a restart of the gateway → still open', () => {
    const table = tableOf(10);
    const queue = createQueue({ failuresInRow: 12, failingSinceMs: 0 });
    fill(queue, table, 0);
    assert.equal(takeAll(queue, 0).length, 1);
  });
});

test('recovery: down for five minutes → retries brought forward; for one minute → not', () => {
  const answersAfter = (downMs: number) => {
    const table = tableOf(1);
    const queue = createQueue({ failuresInRow: 12, failingSinceMs: 0 });
    fill(queue, table, downMs);
    const [probe] = takeAll(queue, downMs);
    assert.ok(probe);
    return queue.answered(delivered, downMs, downMs);
  };
  assert.deepEqual(answersAfter(60_000), { recovered: false });
  assert.deepEqual(answersAfter(5 * 60_000), { recovered: true });
});

test('failing since: stored time lies in the future → the next failure counts', () => {
  const table = tableOf(2);
  const queue = createQueue({ failuresInRow: 12, failingSinceMs: 30 * 24 * 60 * 60_000 });
  fill(queue, table, 0);
  const [probe] = takeAll(queue, 0);
  assert.ok(probe);
  conclude(queue, table, probe, retryIn(5_000), 1_000);
  assert.equal(queue.health.failingSinceMs, 1_000);
  const laterMs = 10 * 60_000;
  fill(queue, table, laterMs);
  const [next] = takeAll(queue, laterMs);
  assert.ok(next);
  assert.deepEqual(queue.answered(delivered, laterMs, laterMs), { recovered: true });
});

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

test('failures of some deliveries: others succeed → the endpoint counts as recovered', () => {
  const table = tableOf(100, { attempts: 1, dueAtMs: 0 });
  const queue = createQueue({ failuresInRow: 12, failingSinceMs: 0 });
  fill(queue, table, 0);
  const [probe] = takeAll(queue, 0);
  assert.equal(probe?.row.attempts, 1, 'where there is nothing else, what has failed before is tried');
  conclude(queue, table, probe, retryIn(5_000), 0);

  insert(table, 100);
  queue.news();
  let nowMs = 300_000;
  for (; nowMs < 1_800_000; nowMs += 600_000) {
    fill(queue, table, nowMs);
    const [fresh] = takeAll(queue, nowMs);
    assert.equal(fresh?.row.attempts, 0);
    conclude(queue, table, fresh, retryIn(5_000), nowMs);
  }
  const untilMs = nowMs + 10_000;
  let refused = 0;
  const goesThrough = () => [...table.rows.values()].filter((row) => row.attempts === 0).length === 0;
  for (; nowMs < untilMs && !goesThrough(); nowMs += 100) {
    fill(queue, table, nowMs);
    for (const entry of takeAll(queue, nowMs)) {
      const isRefused = entry.row.attempts > 0;
      if (isRefused) refused += 1;
      conclude(queue, table, entry, isRefused ? retryIn(1_000) : delivered, nowMs);
    }
  }
  assert.ok(goesThrough());
  assert.ok(refused >= 50, `${refused} refused: what failed before has its turn`);
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

test('gone endpoint: changed by its owner meanwhile → tried again', () => {
  const table = tableOf(1);
  const queue = createQueue();
  const failing = { failuresInRow: 1, failingSinceMs: 0 };
  fill(queue, table, 0);
  const [entry] = takeAll(queue, 0);
  assert.ok(entry);
  conclude(queue, table, entry, { kind: 'gone' }, 0);
  queue.change(sampleEndpoint(failing), signer);
  fill(queue, table, 1);
  assert.deepEqual(takeAll(queue, 1), [], 'nothing was changed');
  queue.change(sampleEndpoint({ ...failing, description: 'mine', updatedAtMs: 1 }), signer);
  fill(queue, table, 2);
  const [again] = takeAll(queue, 2);
  assert.ok(again);
  conclude(queue, table, again, { kind: 'gone' }, 2);
  queue.change(sampleEndpoint({ ...failing, disabled: { atMs: 2, reason: 'gone' }, updatedAtMs: 2 }), signer);
  assert.equal(queue.health.failuresInRow, 1, 'as it is shown while it is disabled');
});

test('probe: long queue of few conversations → reads no more rows than go', () => {
  const table = new QueueTable();
  for (let i = 0; i < 2_000; i += 1) table.insert(`c${i % 2}`);
  const queue = createQueue({ ordered: true, failuresInRow: 12, failingSinceMs: 0 });
  for (let probe = 0; probe < 2; probe += 1) {
    const nowMs = probe * 3_600_000;
    let reads = fill(queue, table, nowMs);
    const [entry, ...others] = takeAll(queue, nowMs);
    assert.ok(entry);
    assert.deepEqual(others, []);
    reads += fill(queue, table, nowMs);
    assert.ok(reads <= 2, `${reads} reads`);
    conclude(queue, table, entry, retryIn(86_400_000), nowMs);
  }
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

describe('any interleaving', () => {
  interface Plan {
    seed: number;
    ordered: boolean;
    rows: number;
    conversations: number;
    /** Next to no memory for windows, and few events per read. */
    cramped: boolean;
    /** Events cease to exist, and the endpoint is disabled and enabled again, at random times. */
    troubled: boolean;
  }
  const plans = fc.record<Plan>({
    seed: fc.integer(),
    ordered: fc.boolean(),
    rows: fc.integer({ min: 1, max: 300 }),
    conversations: fc.integer({ min: 1, max: 40 }),
    cramped: fc.boolean(),
    troubled: fc.boolean(),
  });

  interface Outcome {
    deliveries: QueueTable;
    order: number[];
    expired: number;
    conversationOf: Map<number, string | null>;
  }

  /** Runs a queue to its end with slow reads and records, failures, notices, and gaps in the offered rows. */
  function run(plan: Plan): Outcome {
    const random = seededRandom(plan.seed).next;
    const table = new QueueTable();
    table.lookedAtMax = 20;
    const queue = createQueue({ ordered: plan.ordered }, random, new WindowRoom(plan.cramped ? 0 : undefined));
    const eventsMax = () => (plan.cramped ? Math.floor(random() * 4) : undefined);
    const order: number[] = [];
    const conversationOf = new Map<number, string | null>();
    const underWay: Entry[] = [];
    const unrecorded: ({ entry: Entry; verdict: Verdict; dueMs: number } | { gone: QueueRow })[] = [];
    let reading: { read: Read; rows: QueueRow[]; result?: ReadResult } | undefined;
    let expired = 0;
    let nowMs = 0;
    let toCome = plan.rows;
    const steps = 200_000;
    for (let step = 0; step < steps && (toCome > 0 || table.rows.size > 0 || unrecorded.length > 0); step += 1) {
      nowMs += Math.floor(random() * 400);
      if (plan.troubled && random() < 0.02) {
        queue.change(sampleEndpoint({ ordered: plan.ordered, disabled: { atMs: 0, reason: 'owner' } }), signer);
        queue.change(sampleEndpoint({ ordered: plan.ordered }), signer);
      }
      if (plan.troubled && random() < 0.05) {
        const seqs = [...table.rows.keys()];
        table.eventless.add(seqs[Math.floor(random() * seqs.length)] ?? 0);
      }
      const dice = random();
      if (toCome > 0 && dice < 0.3) {
        const batch = Array.from({ length: Math.min(toCome, 1 + Math.floor(random() * 5)) }, () => {
          const row = table.insert(plan.ordered ? `c${Math.floor(random() * plan.conversations)}` : null);
          conversationOf.set(row.seq, row.conversation);
          return { row: { ...row }, event };
        });
        toCome -= batch.length;
        // Another node may have queued these rows, so that they are not offered here but read from the table.
        if (random() < 0.8) queue.offer(batch);
        else queue.news();
      } else if (dice < 0.5) {
        if (reading === undefined) {
          const read = queue.beginRead(nowMs);
          if (read !== undefined) reading = { read, rows: table.copyRows() };
        } else if (reading.result === undefined) {
          reading.result = table.read(reading.read, queue, nowMs, eventsMax(), reading.rows);
          unrecorded.push(...table.gone.splice(0).map((gone) => ({ gone })));
        } else {
          if (random() < 0.1) queue.abandonRead(reading.read);
          else queue.endRead(reading.read, reading.result, nowMs, 0);
          reading = undefined;
        }
      } else if (dice < 0.7) {
        const entry = queue.take(nowMs, 4);
        if (entry !== undefined) {
          const row = table.rows.get(entry.row.seq);
          assert.ok(row, 'what is settled does not go again');
          assert.ok((row.dueAtMs ?? 0) <= nowMs, 'no retry before its time');
          assert.ok(!underWay.some((other) => other.row.seq === entry.row.seq), 'one attempt at a time');
          underWay.push(entry);
        }
      } else if (dice < 0.85) {
        const [entry] = underWay.splice(Math.floor(random() * underWay.length), 1);
        if (entry !== undefined) {
          const isTaken = random() < 0.6;
          const verdict = isTaken ? delivered : retryIn(1_000 + random() * 5_000, random() < 0.1 ? 500 : 0);
          if (verdict.kind === 'delivered') order.push(entry.row.seq);
          queue.answered(verdict, nowMs, nowMs);
          unrecorded.push({ entry, verdict, dueMs: verdict.kind === 'retry' ? nowMs + verdict.afterMs : nowMs });
        }
      } else {
        const firstAnswer = unrecorded.findIndex((item) => 'entry' in item);
        for (const item of unrecorded.splice(0, firstAnswer === -1 ? unrecorded.length : firstAnswer)) {
          if (!('gone' in item)) continue;
          if (table.rows.delete(item.gone.seq)) expired += 1;
          if (item.gone.dueAtMs !== null) queue.expired(item.gone);
        }
        const done = unrecorded.shift();
        if (done !== undefined && 'entry' in done) {
          const row = table.rows.get(done.entry.row.seq);
          if (done.verdict.kind === 'delivered') table.rows.delete(done.entry.row.seq);
          else if (row !== undefined) Object.assign(row, { attempts: row.attempts + 1, dueAtMs: done.dueMs });
          queue.recorded(done.entry, done.verdict, done.dueMs);
        }
      }
    }
    return { deliveries: table, order, expired, conversationOf };
  }

  it('any plan → every queued delivery goes exactly once', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const { deliveries, order, expired } = run(plan);
        assert.equal(deliveries.rows.size, 0, 'nothing is left behind');
        assert.equal(new Set(order).size, order.length, 'nothing goes twice');
        assert.equal(order.length + expired, plan.rows);
      }),
      { numRuns: 150 },
    );
  });

  it('ordered endpoint → deliveries of each conversation go in order', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const { order, conversationOf } = run({ ...plan, ordered: true });
        const last = new Map<string | null, number>();
        for (const seq of order) {
          const conversation = conversationOf.get(seq) ?? null;
          assert.ok(seq > (last.get(conversation) ?? 0), `${seq} after ${last.get(conversation)}`);
          last.set(conversation, seq);
        }
      }),
      { numRuns: 150 },
    );
  });
});
