import type { PairDebt } from '../scheduler-types.ts';
import type { NumberQueue } from './number-queue.ts';

/** What a message uses up is written down as it is sent; penalties are not, and they are larger than this. */
const listedMessagesMin = 5;

/** Pairs that have used more than five messages of their burst. */
export function listPairDebt(queue: NumberQueue, nowMs: number): PairDebt[] {
  const listedMs = listedMessagesMin * queue.state.pairLimit.intervalMs;
  const debts: PairDebt[] = [];
  for (const { contact, tatMs } of queue.chains.values()) {
    if (tatMs - nowMs > listedMs) debts.push({ contact, debtMs: tatMs - nowMs });
  }
  return debts;
}

/** Restores a pair's debt; what is known already counts if it is more. */
export function restorePairDebt(queue: NumberQueue, debt: PairDebt, nowMs: number): void {
  const chain = queue.chain(debt.contact);
  queue.detach(chain);
  setTatMs(chain, Math.max(chain.tatMs, nowMs + debt.debtMs));
  queue.attach(chain, nowMs);
}

/** Sends nothing to the pair before `untilMs`, nor a burst then. */
export function penalizePair(queue: NumberQueue, contact: string, untilMs: number, nowMs: number): void {
  const chain = queue.chain(contact);
  queue.detach(chain);
  setTatMs(chain, Math.max(chain.tatMs, untilMs + queue.state.pairLimit.toleranceMs));
  queue.attach(chain, nowMs);
}

/** The upstream's word counts more than our own charges: none of them is given back afterwards. */
function setTatMs(chain: { tatMs: number; tatBeforeMs: number }, tatMs: number): void {
  chain.tatMs = tatMs;
  chain.tatBeforeMs = tatMs;
}
