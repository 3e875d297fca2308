import type { FinishedSeqs } from './finished-seqs.ts';
import type { IdlePairs } from './number/idle-pairs.ts';
import type { HeldMessage, RecipientChain } from './number/recipient-chain.ts';
import type { BinaryHeap } from './order/binary-heap.ts';
import type { RateLimit } from './order/gcra.ts';
import type { SchedulerOptions } from './scheduler-options.ts';
import type { WindowBounds } from './window-bounds.ts';

/** Sizes kept as they change, over all numbers. */
interface Tally {
  messages: number;
  readyRecipients: number;
}

/** What all numbers of one scheduler share. */
export interface SchedulerState {
  readonly options: SchedulerOptions;
  readonly pairLimit: RateLimit;
  readonly tally: Tally;
  readonly bounds: WindowBounds;
  readonly finished: FinishedSeqs;
  readonly idlePairs: IdlePairs;
  /** Chains with a message in flight, by its seq. */
  readonly inFlight: Map<number, RecipientChain>;
  readonly held: Map<number, HeldMessage>;
  /** Holds that have not been answered as expired, by the end of their time. */
  readonly holds: BinaryHeap<HeldMessage>;
}
