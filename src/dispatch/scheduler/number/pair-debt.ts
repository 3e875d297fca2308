import type { PairDebt } from '../scheduler-types.ts';
import type { NumberQueue } from './number-queue.ts';

/** The charge of a single message is stored when it is sent; penalties are not stored, and they are larger than this. */
const listedMessagesMin = 5;

/** Lists pairs that have used more than five messages of their burst. */
export function listPairDebt(queue: NumberQueue, nowMs: number): PairDebt[] {
  const listedMs = listedMessagesMin * queue.state.pairLimit.intervalMs;
  const debts: PairDebt[] = [];
  for (const { contact, tatMs } of queue.chains.values()) {
    if (tatMs - nowMs > listedMs) debts.push({ contact, debtMs: tatMs - nowMs });
  }
  return debts;
}

/** Restores a pair's debt, unless the known one is larger. */
export function restorePairDebt(queue: NumberQueue, debt: PairDebt, nowMs: number): void {
  const chain = queue.chain(debt.contact);
  queue.detach(chain);
  setTatMs(chain, Math.max(chain.tatMs, nowMs + debt.debtMs));
  queue.attach(chain, nowMs);
}

/** Charges a recipient with the debt of another key of the same person, which has no messages any more. */
export function mergePairs(queue: NumberQueue, { from, to }: { from: string; to: string }, nowMs: number): void {
  const former = queue.chains.get(from);
  const debtMs = (former?.tatMs ?? nowMs) - nowMs;
  if (former === undefined || debtMs <= 0) return;
  for (const [chain, tatMs] of [
    [former, Number.NEGATIVE_INFINITY],
    [queue.chain(to), Math.max(queue.chain(to).tatMs, nowMs) + debtMs],
  ] as const) {
    queue.detach(chain);
    setTatMs(chain, tatMs);
    queue.attach(chain, nowMs);
  }
}

/** Blocks the pair until `untilMs`, with no burst left at that time. */
export function penalizePair(queue: NumberQueue, contact: string, untilMs: number, nowMs: number): void {
  const chain = queue.chain(contact);
  queue.detach(chain);
  setTatMs(chain, Math.max(chain.tatMs, untilMs + queue.state.pairLimit.toleranceMs));
  queue.attach(chain, nowMs);
}

/** The platform's penalty outweighs our own charges: none of them is given back afterwards. */
function setTatMs(chain: { tatMs: number; tatBeforeMs: number }, tatMs: number): void {
  chain.tatMs = tatMs;
  chain.tatBeforeMs = tatMs;
}
