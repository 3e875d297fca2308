/** A send that the platform refused because it exceeded a limit. */
export interface Violation {
  readonly kind: 'throughput' | 'pair';
  readonly phoneNumberId: string;
  readonly recipient: string;
  /** Wall clock, milliseconds since the epoch. */
  readonly at: number;
  readonly arrivedNs: bigint;
  /** Messages a second for `throughput`, messages of one burst for `pair`. */
  readonly limit: number;
  /** Milliseconds the sender should have waited, for `pair`. */
  readonly retryAfterMs: number | null;
}

/** Counts every violation and keeps the newest `keptMax`. */
export class ViolationLog {
  readonly #keptMax: number;
  #kept: Violation[] = [];
  #counts = { throughput: 0, pair: 0 };

  constructor(keptMax: number) {
    this.#keptMax = keptMax;
  }

  append(violation: Violation): void {
    this.#counts[violation.kind] += 1;
    this.#kept.push(violation);
    if (this.#kept.length >= this.#keptMax * 2) this.#kept = this.#kept.slice(-this.#keptMax);
  }

  /** Since the start or the last reset. */
  counts(): { throughput: number; pair: number } {
    return { ...this.#counts };
  }

  /** Oldest first. */
  list(): Violation[] {
    return this.#kept.slice(-this.#keptMax);
  }

  clear(): void {
    this.#kept = [];
    this.#counts = { throughput: 0, pair: 0 };
  }
}
