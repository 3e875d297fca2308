import type { RecipientChain } from './recipient-chain.ts';

const bucketMs = 1000;
const none: readonly RecipientChain[] = [];

/**
 * Idle recipients whose pair limit still says something, by the second in which it stops doing so. Buckets make it O(1) per
 * message; a recipient that was busy meanwhile or has used its limit again is looked at when its bucket is due.
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

  /** Takes out the recipients that are idle and whose pair limit no longer restricts anything. */
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
