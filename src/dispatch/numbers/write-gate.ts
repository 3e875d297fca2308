import type { Clock } from '../../core/time/clock.ts';

/** Messages do not all travel equally fast, and of many the fastest and the slowest are further apart. */
const TRAVEL_MS = 5;
const TRAVEL_MS_PER_MESSAGE = 0.01;
/** What was held back follows at no more than so many times the pace: a bunch is spread by whoever has to work through it. */
const PEAK = 1.5;
/** How far ahead of that a message may go; covers late timers. */
const PEAK_TOLERANCE_MS = 5;

/** The time within which no more than `perSecond` messages are written: the upstream's second, and what they travel apart. */
export function spanMsAt(perSecond: number): number {
  return 1_000 + TRAVEL_MS + TRAVEL_MS_PER_MESSAGE * perSecond;
}

/**
 * Where a number's messages wait until they may be written. Pace is kept when messages are released; then comes a journal, whose
 * commit takes now less and now more, and what a standstill cost is made up for. So the upstream's own rule is kept once more at
 * the last moment, on when messages really were written: no more than `perSecond` within any `spanMsAt` of it, counting those that may
 * be written any moment. First come, first let through.
 */
export class WriteGate {
  readonly #clock: Clock;
  /** When the last `perSecond` messages were written, the oldest of them at `#oldest`. Monotonic milliseconds. */
  #writtenAtMs: Float64Array;
  #oldest = 0;
  /** Let through, and neither written nor given up yet. */
  #passing = 0;
  #waiting: (() => void)[] = [];
  /** Where an even flow at the peak would be. */
  #peakAtMs = Number.NEGATIVE_INFINITY;
  #cancelWake: (() => void) | undefined;

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#writtenAtMs = neverWritten(perSecond);
  }

  /** Resolves when one more message may be written; then `wrote` or `gaveUp` has to be told, once. */
  enter(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (this.#waiting.length === 1) this.#letThrough();
    return promise;
  }

  /** All of a message that was let through is written now. */
  wrote(): void {
    this.#writtenAtMs[this.#oldest] = this.#clock.monotonicMs();
    this.#oldest = (this.#oldest + 1) % this.#writtenAtMs.length;
    this.gaveUp();
  }

  /** A message that was let through is not written. */
  gaveUp(): void {
    this.#passing -= 1;
    this.#letThrough();
  }

  /** Holds to another limit from now on; what was written still counts. */
  setLimit(perSecond: number): void {
    const writtenAtMs = neverWritten(perSecond);
    if (writtenAtMs.length === this.#writtenAtMs.length) return;
    const known = [...this.#writtenAtMs.subarray(this.#oldest), ...this.#writtenAtMs.subarray(0, this.#oldest)];
    writtenAtMs.set(known.slice(-writtenAtMs.length), Math.max(0, writtenAtMs.length - known.length));
    this.#writtenAtMs = writtenAtMs;
    this.#oldest = 0;
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
        // While all who may write have yet to do so, their writes open it again.
        if (atMs !== Number.POSITIVE_INFINITY)
          this.#cancelWake = this.#clock.schedule(Math.ceil(atMs - nowMs), () => this.#letThrough());
        return;
      }
      this.#passing += 1;
      this.#peakAtMs = Math.max(this.#peakAtMs, nowMs) + 1_000 / (PEAK * this.#writtenAtMs.length);
      this.#waiting.shift()?.();
    }
  }

  /** When the next may pass: those who pass already will take the place of the oldest writes. */
  #openAtMs(): number {
    const count = this.#writtenAtMs.length;
    if (this.#passing >= count) return Number.POSITIVE_INFINITY;
    const replacedAtMs = this.#writtenAtMs[(this.#oldest + this.#passing) % count] ?? 0;
    return Math.max(replacedAtMs + spanMsAt(count), this.#peakAtMs - PEAK_TOLERANCE_MS);
  }
}

function neverWritten(perSecond: number): Float64Array {
  return new Float64Array(Math.max(1, Math.ceil(perSecond))).fill(Number.NEGATIVE_INFINITY);
}
