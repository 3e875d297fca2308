import type { RecipientChain } from './recipient-chain.ts';

const bucketMs = 1000;
const none: readonly RecipientChain[] = [];

/**
 * Idle recipients whose pair limit still restricts them, by the second in which that ends. Buckets make this O(1) per message. A recipient
 * that was busy meanwhile, or has used its limit again, is checked when its bucket is due.
 */
export class IdlePairs {
  readonly #buckets = new Map<number, RecipientChain[]>();
  #sweptTo = Number.NEGATIVE_INFINITY;

  add(chain: RecipientChain): void {
    if (chain.idleBucket >= 0) return;
    const bucket = Math.max(0, Math.ceil(chain.tatMs / bucketMs));
    chain.idleBucket = bucket;
    const chains = this.#buckets.get(bucket);
    if (chains === undefined) this.#buckets.set(bucket, [chain]);
    else chains.push(chain);
  }

  /** Removes and returns the recipients that are idle and no longer restricted by their pair limit. */
  sweep(nowMs: number): readonly RecipientChain[] {
    const due = Math.floor(nowMs / bucketMs);
    if (due <= this.#sweptTo) return none;
    this.#sweptTo = due;
    const lapsed: RecipientChain[] = [];
    for (const [bucket, chains] of this.#buckets) {
      if (bucket > due) continue;
      this.#buckets.delete(bucket);
      for (const chain of chains) {
        chain.idleBucket = -1;
        if (chain.place !== 'idle') continue;
        if (chain.tatMs <= nowMs) lapsed.push(chain);
        else this.add(chain);
      }
    }
    return lapsed;
  }
}
