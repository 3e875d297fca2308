import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  createQueue,
  delivered,
  event,
  retryIn,
  signer,
} from '../../../test/support/outbound-webhooks/endpoint-queue.ts';
import { QueueTable } from '../../../test/support/outbound-webhooks/queue-table.ts';
import { sampleEndpoint } from '../../../test/support/outbound-webhooks/sample-endpoint.ts';
import { seededRandom } from '../../core/seeded-random.ts';
import type { Verdict } from '../attempt/attempt-verdict.ts';
import type { QueueRow } from '../queue/queue-queries.ts';
import type { Entry } from './entry.ts';
import type { Read, ReadResult } from './queue-read.ts';
import { WindowRoom } from './window-room.ts';

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
