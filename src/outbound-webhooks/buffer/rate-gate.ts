/** How much may go at once before the pace bites, in seconds' worth. */
const BURST_SECONDS = 0.2;

/** Keeps a pace of so many per second. `null` is no limit. Times are monotonic milliseconds. */
export class RateGate {
  #ratePerSecond: number | null;
  /** When the next one would be due if all had come evenly. */
  #dueMs = Number.NEGATIVE_INFINITY;

  constructor(ratePerSecond: number | null) {
    this.#ratePerSecond = ratePerSecond;
  }

  /** A rate that is another one holds at once: what went at the one before counts no more. */
  setRate(ratePerSecond: number | null): void {
    if (ratePerSecond === this.#ratePerSecond) return;
    this.#ratePerSecond = ratePerSecond;
    this.#dueMs = Number.NEGATIVE_INFINITY;
  }

  /** The earliest moment one more may go. */
  openAtMs(): number {
    return this.#dueMs - BURST_SECONDS * 1000;
  }

  /** Counts one that goes now. */
  pass(nowMs: number): void {
    if (this.#ratePerSecond !== null) this.#dueMs = Math.max(this.#dueMs, nowMs) + 1000 / this.#ratePerSecond;
  }
}
