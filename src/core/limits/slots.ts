import type { Clock } from '../time/clock.ts';

interface SlotLimits {
  /** Most operations in progress; unlimited when absent. */
  max?: number;
  /** Most operations in progress of one party. With fewer than `max`, no party can shut the others out. */
  partyMax: number;
}

/** Longest wait for a slot, in milliseconds. */
interface Patience {
  clock: Pick<Clock, 'schedule'>;
  timeoutMs: number;
}

/**
 * Bounds simultaneous operations, in total and per party; an operation of no party (`undefined`) counts in the total only. Parties that wait
 * take turns, each in its own order.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #heldBy = new Map<string | undefined, number>();
  /** Waiting operations by party, the next party first. */
  readonly #waiting = new Map<string | undefined, Set<() => void>>();
  #held = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Number of operations that wait. */
  get waiting(): number {
    return this.#waiting.values().reduce((sum, ofParty) => sum + ofParty.size, 0);
  }

  /** True if the party has as many slots as it may have. */
  isFullFor(party: string): boolean {
    return this.#heldOf(party) >= this.#limits.partyMax;
  }

  /** Takes a slot until it is disposed of; undefined if none is free. */
  tryAcquire(party?: string): Disposable | undefined {
    return this.#isFreeFor(party) ? this.#take(party) : undefined;
  }

  /** Resolves with a slot as soon as one is free; with undefined if `patience` ends first. */
  async acquire(party?: string, patience?: Patience): Promise<Disposable | undefined> {
    return this.tryAcquire(party) ?? (await this.#queue(party, patience));
  }

  #isFreeFor(party: string | undefined): boolean {
    const { max = Number.POSITIVE_INFINITY } = this.#limits;
    return this.#held < max && (party === undefined || !this.isFullFor(party));
  }

  #heldOf(party: string | undefined): number {
    return this.#heldBy.get(party) ?? 0;
  }

  #take(party: string | undefined): Disposable {
    this.#held += 1;
    this.#heldBy.set(party, this.#heldOf(party) + 1);
    return { [Symbol.dispose]: () => this.#release(party) };
  }

  #queue(party: string | undefined, patience: Patience | undefined): Promise<Disposable | undefined> {
    return new Promise((resolve) => {
      const begin = () => {
        cancel?.();
        resolve(this.#take(party));
      };
      const cancel = patience?.clock.schedule(patience.timeoutMs, () => {
        const ofParty = this.#waiting.get(party);
        ofParty?.delete(begin);
        if (ofParty?.size === 0) this.#waiting.delete(party);
        resolve(undefined);
      });
      this.#waiting.set(party, (this.#waiting.get(party) ?? new Set()).add(begin));
    });
  }

  /** Frees a slot and gives it to the next party that may have it. */
  #release(from: string | undefined): void {
    this.#held -= 1;
    if (this.#heldOf(from) > 1) this.#heldBy.set(from, this.#heldOf(from) - 1);
    else this.#heldBy.delete(from);
    for (const [party, ofParty] of this.#waiting) {
      const [begin] = ofParty;
      if (begin === undefined || !this.#isFreeFor(party)) continue;
      this.#waiting.delete(party);
      ofParty.delete(begin);
      if (ofParty.size > 0) this.#waiting.set(party, ofParty);
      begin();
      return;
    }
  }
}
