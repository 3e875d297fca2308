import assert from 'node:assert/strict';
import type { Verdict } from '../../../src/outbound-webhooks/attempt/attempt-verdict.ts';
import { createSecret } from '../../../src/outbound-webhooks/attempt/signature.ts';
import { createSigner } from '../../../src/outbound-webhooks/attempt/webhook-request.ts';
import { EndpointQueue } from '../../../src/outbound-webhooks/buffer/endpoint-queue.ts';
import type { Entry } from '../../../src/outbound-webhooks/buffer/entry.ts';
import { WindowRoom } from '../../../src/outbound-webhooks/buffer/window-room.ts';
import type { QueueRow } from '../../../src/outbound-webhooks/queue/queue-queries.ts';
import { QueueTable } from './queue-table.ts';
import { sampleEndpoint } from './sample-endpoint.ts';
import { messageEvent } from './sample-events.ts';

export const signer = createSigner('standard', createSecret('standard', 'hmac'), undefined);
export const event = messageEvent({ type: 'message.sent' });
export const delivered: Verdict = { kind: 'delivered' };
/** The verdict on an attempt that is tried again after `afterMs`, its endpoint paused for `pauseMs`. */
export const retryIn = (afterMs: number, pauseMs = 0): Verdict => ({ kind: 'retry', afterMs, pauseMs });

/** Queues deliveries without a conversation. */
export function insert(table: QueueTable, count: number, state: Partial<QueueRow> = {}): void {
  for (let row = 0; row < count; row += 1) Object.assign(table.insert(null), state);
}

/** Returns a table with `count` queued deliveries. */
export function tableOf(count: number, state?: Partial<QueueRow>): QueueTable {
  const table = new QueueTable();
  insert(table, count, state);
  return table;
}

/** Counts the table's rows that are in memory. */
export function countKnown(table: QueueTable, queue: EndpointQueue): number {
  return [...table.rows.keys()].filter((seq) => queue.knows(seq)).length;
}

/** Creates the queue of a sample endpoint with these settings. */
export function createQueue(
  options: Parameters<typeof sampleEndpoint>[0] = {},
  random = () => 0.5,
  room = new WindowRoom(),
) {
  const endpoint = sampleEndpoint(options);
  return new EndpointQueue(endpoint, signer, room.open(endpoint.organizationId), random);
}

/** Reads until the queue has nothing to read at `nowMs`; returns the number of reads. */
export function fill(queue: EndpointQueue, table: QueueTable, nowMs: number): number {
  let reads = 0;
  for (let read = queue.beginRead(nowMs); read !== undefined; read = queue.beginRead(nowMs)) {
    queue.endRead(read, table.read(read, queue, nowMs), nowMs, 0);
    reads += 1;
    assert.ok(reads < 1_000, 'reading comes to an end');
  }
  return reads;
}

/** Takes every delivery that may go at `nowMs`. */
export function takeAll(queue: EndpointQueue, nowMs: number): Entry[] {
  const taken: Entry[] = [];
  for (let entry = queue.take(nowMs, 1_000); entry !== undefined; entry = queue.take(nowMs, 1_000)) taken.push(entry);
  return taken;
}

/** Ends an attempt and records it at once. */
export function conclude(queue: EndpointQueue, table: QueueTable, entry: Entry, verdict: Verdict, nowMs: number): void {
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
