import { chargedTatMs, permittedCount, type RateLimit, readyAtMs } from './rate-limit.ts';

/** Number of parties at which those without debt are forgotten. */
const SWEPT_AT = 10_000;

/** Measures the rate of each party, in memory. Times are monotonic milliseconds. */
export class RateMeter {
  readonly #tatMs = new Map<string, number>();
  #sweptAt = SWEPT_AT;

  /** Returns how many operations of the party the limit permits at once. */
  left(party: string, limit: RateLimit, nowMs: number): number {
    return permittedCount(limit, this.#tatOf(party), nowMs);
  }

  /** Returns the time until the whole bucket of the party is free again; 0 if it is now. */
  debtMs(party: string, nowMs: number): number {
    return Math.max(0, this.#tatOf(party) - nowMs);
  }

  /** Returns the time until `count` operations of the party are permitted at once; 0 if they are now. */
  waitMs(party: string, limit: RateLimit, nowMs: number, count = 1): number {
    if (this.left(party, limit, nowMs) >= count) return 0;
    return readyAtMs(limit, this.#tatOf(party)) + (count - 1) * limit.intervalMs - nowMs;
  }

  /** Counts operations of the party and returns 0 if they are permitted at once. Otherwise returns the wait, and counts nothing. */
  take(party: string, limit: RateLimit, nowMs: number, count = 1): number {
    const waitMs = this.waitMs(party, limit, nowMs, count);
    if (waitMs === 0) this.charge(party, limit, nowMs, count);
    return waitMs;
  }

  /** Counts operations of the party. */
  charge(party: string, limit: RateLimit, nowMs: number, count = 1): void {
    this.#forgetPast(nowMs);
    this.#tatMs.set(party, chargedTatMs(limit, this.#tatOf(party), nowMs, count));
  }

  #tatOf(party: string): number {
    return this.#tatMs.get(party) ?? Number.NEGATIVE_INFINITY;
  }

  #forgetPast(nowMs: number): void {
    if (this.#tatMs.size < this.#sweptAt) return;
    for (const [party, tatMs] of this.#tatMs) if (tatMs <= nowMs) this.#tatMs.delete(party);
    this.#sweptAt = Math.max(SWEPT_AT, this.#tatMs.size * 2);
  }
}
