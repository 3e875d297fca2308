import type { QueueRow, ReadRequest } from '../scheduler-types.ts';
import type { NumberQueue } from './number-queue.ts';
import { type Flow, QueuedMessage, type RecipientChain } from './recipient-chain.ts';

/** A request without its id. */
export type ReadWanted =
  | { readonly kind: 'flow'; readonly reader: Flow; readonly afterSeq: number; readonly limit: number }
  | { readonly kind: 'recipient'; readonly reader: RecipientChain; readonly afterSeq: number; readonly limit: number };

/** Takes in a committed row, from the code that stored it or from a read. */
export function offerRow(queue: NumberQueue, row: QueueRow, nowMs: number): void {
  if (queue.state.finished.has(row.seq)) return;
  const chain = queue.chains.get(row.contact);
  if (chain?.knows(row.seq)) return;
  const flow = queue.flow(row.flowId);
  // The recipient's own reads have passed this row, or may have. If the row were left to its flow, it would come after younger ones.
  if (chain !== undefined && (row.seq <= chain.readTo || chain.read === 'running')) {
    flow.pass(row.seq);
    admitRow(queue, row, nowMs);
    return;
  }
  const wasBehind = flow.more;
  const verdict = flow.judge(row, queue.hasRoom(flow), queue.state.bounds.recipients);
  if (verdict === 'keep') admitRow(queue, row, nowMs);
  if (flow.more !== wasBehind) {
    queue.updateUnreadFloor();
    queue.noteRefill(flow);
  }
}

/** Takes a row that its flow's cursor has passed into memory, or leaves it to its recipient's reads. */
export function admitRow(queue: NumberQueue, row: QueueRow, nowMs: number): void {
  if (queue.state.finished.has(row.seq)) return;
  const chain = queue.chain(row.contact);
  if (chain.knows(row.seq)) return;
  if (chain.more && row.seq > chain.readTo && chain.read !== 'running') return;
  queue.detach(chain);
  queue.insert(chain, new QueuedMessage(row, queue.flow(row.flowId)));
  queue.attach(chain, nowMs);
}

/** Starts one read that the number still wants and returns it; null if it wants none. */
export function takeRead(queue: NumberQueue, nowMs: number): ReadWanted | null {
  for (const reader of queue.wanted) {
    queue.unwant(reader);
    const read = 'contact' in reader ? takeRecipientRead(queue, reader, nowMs) : takeFlowRead(queue, reader);
    if (read !== null) return read;
  }
  return null;
}

function takeFlowRead(queue: NumberQueue, flow: Flow): ReadWanted | null {
  if (!queue.needsRefill(flow)) return null;
  flow.read = 'running';
  return { kind: 'flow', reader: flow, afterSeq: flow.cursor, limit: queue.state.bounds.recipients };
}

function takeRecipientRead(queue: NumberQueue, chain: RecipientChain, nowMs: number): ReadWanted | null {
  if (chain.place === 'unread' && chain.isSure(queue.unreadFloor)) {
    // The flows have been read on meanwhile.
    queue.detach(chain);
    queue.attach(chain, nowMs);
    queue.unwant(chain);
  }
  if (!queue.needsRead(chain, nowMs)) return null;
  chain.startRead();
  return { kind: 'recipient', reader: chain, afterSeq: chain.readTo, limit: queue.capacity(chain, nowMs) };
}

/** Merges the rows that a running read found. */
export function mergeRead(queue: NumberQueue, read: ReadWanted, rows: readonly QueueRow[], nowMs: number): void {
  if (read.kind === 'flow') mergeFlowRead(queue, read.reader, read.limit, rows, nowMs);
  else mergeRecipientRead(queue, read.reader, read.limit, rows, nowMs);
}

function mergeFlowRead(queue: NumberQueue, flow: Flow, limit: number, rows: readonly QueueRow[], nowMs: number): void {
  const waited = flow.finishRead(rows, limit);
  queue.updateUnreadFloor();
  for (const row of rows) if (row.seq <= flow.cursor) admitRow(queue, row, nowMs);
  for (const row of waited) offerRow(queue, row, nowMs);
  queue.noteRefill(flow);
}

function mergeRecipientRead(
  queue: NumberQueue,
  chain: RecipientChain,
  limit: number,
  rows: readonly QueueRow[],
  nowMs: number,
): void {
  queue.detach(chain);
  const reachedSeq = chain.finishRead(rows.at(-1)?.seq ?? 0, rows.length >= limit);
  for (const row of rows) {
    if (row.seq > reachedSeq || queue.state.finished.has(row.seq) || chain.knows(row.seq)) continue;
    const flow = queue.flow(row.flowId);
    flow.pass(row.seq);
    chain.insert(new QueuedMessage(row, flow));
    queue.countMessages(1);
  }
  queue.cut(chain, queue.state.bounds.chainMessages);
  queue.attach(chain, nowMs);
}

/** Ends a running read that failed: it is wanted again, if still needed. */
export function failRead(queue: NumberQueue, read: ReadWanted, nowMs: number): void {
  if (read.kind === 'flow') {
    read.reader.failRead();
    queue.noteRefill(read.reader);
    return;
  }
  queue.detach(read.reader);
  read.reader.read = 'none';
  queue.attach(read.reader, nowMs);
}

/** Converts a read to the form that the owner gets. */
export function requestOf(id: number, numberId: number, read: ReadWanted): ReadRequest {
  const { afterSeq, limit } = read;
  return read.kind === 'flow'
    ? { kind: 'flow', id, numberId, flowId: read.reader.flowId, afterSeq, limit }
    : { kind: 'recipient', id, numberId, contact: read.reader.contact, afterSeq, limit };
}
