import type { BinaryHeap } from '../order/binary-heap.ts';
import type { HeldMessage } from './recipient-chain.ts';

/** Takes out the holds whose time is over. */
export function popExpiredHolds(holds: BinaryHeap<HeldMessage>, nowMs: number): HeldMessage[] {
  const expired: HeldMessage[] = [];
  for (;;) {
    const next = holds.peek();
    if (next === undefined || next.key > nowMs) return expired;
    holds.remove(next);
    expired.push(next.value);
  }
}
