import type { NumberOpening } from '../scheduler-types.ts';
import { holdMessage } from './number-dispatch.ts';
import type { NumberQueue } from './number-queue.ts';
import { admitRow } from './number-reads.ts';
import { restorePairDebt } from './pair-debt.ts';
import { QueuedMessage } from './recipient-chain.ts';

/**
 * Fills a new number with the rows its owner has read. `offeredSeqs` are the lowest seqs offered by flow during that read. The read may be
 * older than these rows, so the flows only count as read up to there.
 */
export function loadNumber(
  queue: NumberQueue,
  opening: NumberOpening,
  offeredSeqs: ReadonlyMap<number, number>,
  nowMs: number,
): void {
  for (const debt of opening.pairDebt ?? []) restorePairDebt(queue, debt, nowMs);
  for (const { flowId, rows, more } of opening.flows) {
    const flow = queue.flow(flowId);
    flow.cursor = rows.at(-1)?.seq ?? 0;
    flow.more = more;
  }
  for (const [flowId, seq] of offeredSeqs) {
    const flow = queue.flow(flowId);
    flow.fallBehind(Math.min(flow.cursor, seq - 1));
  }
  queue.updateUnreadFloor();
  for (const { row, untilMs } of opening.held) {
    if (queue.state.finished.has(row.seq)) continue;
    const chain = queue.chain(row.contact);
    queue.detach(chain);
    holdMessage(queue, chain, new QueuedMessage(row, queue.flow(row.flowId)), untilMs);
    queue.countMessages(1);
    queue.attach(chain, nowMs);
  }
  for (const { flowId, rows } of opening.flows) {
    const { cursor } = queue.flow(flowId);
    for (const row of rows) if (row.seq <= cursor) admitRow(queue, row, nowMs);
  }
  for (const flow of queue.flows.values()) queue.noteRefill(flow);
  queue.forgetFlows();
}
