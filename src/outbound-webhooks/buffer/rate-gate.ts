/** Burst that may go at once, in seconds of the rate. */
const BURST_SECONDS = 0.2;

/** Keeps a rate per second; `null` is no limit. Times are monotonic milliseconds. */
export class RateGate {
  #ratePerSecond: number | null;
  /** Time when the next item would be due if all had come evenly. */
  #dueMs = Number.NEGATIVE_INFINITY;

  constructor(ratePerSecond: number | null) {
    this.#ratePerSecond = ratePerSecond;
  }

  /** Sets the rate. A different rate is in force at once: items that went at the old rate no longer count. */
  setRate(ratePerSecond: number | null): void {
    if (ratePerSecond === this.#ratePerSecond) return;
    this.#ratePerSecond = ratePerSecond;
    this.#dueMs = Number.NEGATIVE_INFINITY;
  }

  /** Returns the earliest time at which one more item may go. */
  openAtMs(): number {
    return this.#dueMs - BURST_SECONDS * 1000;
  }

  /** Counts an item that goes now. */
  pass(nowMs: number): void {
    if (this.#ratePerSecond !== null) this.#dueMs = Math.max(this.#dueMs, nowMs) + 1000 / this.#ratePerSecond;
  }
}
