import type { Clock } from '../../core/time/clock.ts';

/** Messages take different times to arrive, and the difference between the fastest and the slowest grows with their number. */
const TRAVEL_MS = 5;
const TRAVEL_MS_PER_MESSAGE = 0.01;
/** Messages held back follow at no more than this multiple of the pace, so that a bunch does not overload the platform. */
const PEAK = 1.5;
/** A message may go this far ahead of the peak rate; covers late timers. */
const PEAK_TOLERANCE_MS = 5;

/** Returns the span in which at most `perSecond` messages are written: the platform's second plus the spread of arrival times. */
export function spanMsAt(perSecond: number): number {
  return 1_000 + TRAVEL_MS + TRAVEL_MS_PER_MESSAGE * perSecond;
}

/**
 * Holds a number's messages until they may be written. The scheduler keeps the pace when it releases messages. The journal's commit then
 * takes a varying time, and a stall is caught up, so messages may bunch.
 * This gate therefore enforces the platform's own rule at the last moment, on actual write times: at most `perSecond` messages within any
 * `spanMsAt`, including those that may be written at any moment. First in, first out.
 */
export class WriteGate {
  readonly #clock: Clock;
  #perSecond: number;
  /**
   * Write times of the last messages, at least `#perSecond` of them; the oldest is at `#oldest`. It never shrinks, because the limit may be
   * raised again within the span. Monotonic milliseconds.
   */
  #writtenAtMs: Float64Array;
  #oldest = 0;
  /** Messages let through that are neither written nor given up yet. */
  #passing = 0;
  #waiting: (() => void)[] = [];
  /** Time that an even flow at the peak rate would have reached. */
  #peakAtMs = Number.NEGATIVE_INFINITY;
  #cancelWake: (() => void) | undefined;

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = atLeastOne(perSecond);
    this.#writtenAtMs = neverWritten(this.#perSecond);
  }

  /** Resolves when one more message may be written. The caller must then call `wrote` or `gaveUp` exactly once. */
  enter(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (this.#waiting.length === 1) this.#letThrough();
    return promise;
  }

  /** Records that a message that was let through is now written in full. */
  wrote(): void {
    this.#writtenAtMs[this.#oldest] = this.#clock.monotonicMs();
    this.#oldest = (this.#oldest + 1) % this.#writtenAtMs.length;
    this.gaveUp();
  }

  /** Records that a message that was let through is not written. */
  gaveUp(): void {
    this.#passing -= 1;
    this.#letThrough();
  }

  /** Changes the limit; earlier writes still count. */
  setLimit(perSecond: number): void {
    const limit = atLeastOne(perSecond);
    if (limit === this.#perSecond) return;
    const missing = limit - this.#writtenAtMs.length;
    if (missing > 0) {
      const known = [...this.#writtenAtMs.subarray(this.#oldest), ...this.#writtenAtMs.subarray(0, this.#oldest)];
      this.#writtenAtMs = neverWritten(limit);
      this.#writtenAtMs.set(known, missing);
      this.#oldest = 0;
    }
    this.#perSecond = limit;
    this.#peakAtMs = Number.NEGATIVE_INFINITY;
    this.#letThrough();
  }

  #letThrough(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    while (this.#waiting.length > 0) {
      const nowMs = this.#clock.monotonicMs();
      const atMs = this.#openAtMs();
      if (atMs > nowMs) {
        // If every permitted message has yet to be written, their writes open the gate; no timer is needed.
        if (atMs !== Number.POSITIVE_INFINITY)
          this.#cancelWake = this.#clock.schedule(Math.ceil(atMs - nowMs), () => this.#letThrough());
        return;
      }
      this.#passing += 1;
      this.#peakAtMs = Math.max(this.#peakAtMs, nowMs) + 1_000 / (PEAK * this.#perSecond);
      this.#waiting.shift()?.();
    }
  }

  /** Returns when the next message may pass. Messages that are passing take the places of the oldest writes. */
  #openAtMs(): number {
    const kept = this.#writtenAtMs.length;
    if (this.#passing >= this.#perSecond) return Number.POSITIVE_INFINITY;
    const replacedAtMs = this.#writtenAtMs[(this.#oldest + kept - this.#perSecond + this.#passing) % kept] ?? 0;
    return Math.max(replacedAtMs + spanMsAt(this.#perSecond), this.#peakAtMs - PEAK_TOLERANCE_MS);
  }
}

function atLeastOne(perSecond: number): number {
  return Math.max(1, Math.ceil(perSecond));
}

function neverWritten(messages: number): Float64Array {
  return new Float64Array(messages).fill(Number.NEGATIVE_INFINITY);
}
