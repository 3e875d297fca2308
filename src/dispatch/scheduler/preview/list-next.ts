import type { NumberQueue } from '../number/number-queue.ts';
import type { ShareTree } from '../order/share-tree.ts';
import type { SchedulerState } from '../scheduler-state.ts';
import type { NextMessages, PreviewOptions, Turn } from '../scheduler-types.ts';
import { listKeptBack } from './kept-back.ts';
import { NumberPreview } from './number-preview.ts';

/** Turns later than this are not foretold. */
const HORIZON_MS = 600_000;
/** Rounds after which a preview ends, so that numbers whose waits end without a message cannot make it long. */
const ROUNDS_MAX = 2_000;

/** Lists the messages that go next and those kept back, see `NextMessages`. Costs a copy of the order of all numbers with work. */
export function listNext(
  {
    shares,
    held,
    numbers,
  }: Pick<SchedulerState, 'held'> & {
    shares: ShareTree<NumberQueue>;
    numbers: ReadonlyMap<number, NumberQueue>;
  },
  nowMs: number,
  { max, roundMs }: PreviewOptions,
): NextMessages {
  const copies = shares.copy((queue) => new NumberPreview(queue));
  const turns: Turn[] = [];
  let atMs = nowMs;
  for (let round = 0; round < ROUNDS_MAX && turns.length < max; round += 1) {
    wakeNumbers(copies, atMs);
    copies.readmit();
    takeRound(copies, atMs, max, turns);
    const nextMs = copies.nextDueMs();
    if (nextMs === null || nextMs > nowMs + HORIZON_MS) break;
    atMs = Math.max(atMs + roundMs, nextMs);
  }
  return { turns, ...listKeptBack({ held, numbers }, nowMs, max) };
}

function takeRound(copies: ShareTree<NumberPreview>, atMs: number, max: number, turns: Turn[]): void {
  while (turns.length < max) {
    const queue = copies.head();
    if (queue === undefined) return;
    const message = queue.next(atMs);
    if (message !== null) {
      copies.serve(queue);
      const { numberId, organizationId } = queue;
      const { seq, flow, messageId, acceptedAtMs } = message;
      turns.push({ seq, numberId, organizationId, flowId: flow.flowId, messageId, acceptedAtMs, atMs });
    }
    refresh(copies, queue, atMs);
  }
}

function wakeNumbers(copies: ShareTree<NumberPreview>, atMs: number): void {
  for (let queue = copies.popDue(atMs); queue !== undefined; queue = copies.popDue(atMs)) refresh(copies, queue, atMs);
}

function refresh(copies: ShareTree<NumberPreview>, queue: NumberPreview, atMs: number): void {
  queue.wakeWaiting(atMs);
  copies.refresh(queue, atMs);
}
