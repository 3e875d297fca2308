import type { RateLimit } from '../../core/limits/rate-limit.ts';
import type { FinishedSeqs } from './finished-seqs.ts';
import type { IdlePairs } from './number/idle-pairs.ts';
import type { HeldMessage, RecipientChain } from './number/recipient-chain.ts';
import type { BinaryHeap } from './order/binary-heap.ts';
import type { SchedulerOptions } from './scheduler-options.ts';
import type { WindowBounds } from './window-bounds.ts';

/** Sizes over all numbers, updated as they change. */
interface Tally {
  messages: number;
  readyRecipients: number;
}

/** State shared by all numbers of one scheduler. */
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
  /** Holds that have not been reported as expired, by the end of their time. */
  readonly holds: BinaryHeap<HeldMessage>;
}
