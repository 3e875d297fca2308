import type { Clock } from '../time/clock.ts';

/** Bounds of the time from a demand to the call, in milliseconds. */
export interface AlarmBounds {
  minMs: number;
  maxMs: number;
}

/** Calls back once, at the earliest of the times it was asked for since the last call. Without a demand it sets no timer. */
export class Alarm {
  readonly #clock: Clock;
  readonly #bounds: AlarmBounds;
  readonly #ring: () => void;
  #atMs = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(clock: Clock, bounds: AlarmBounds, ring: () => void) {
    this.#clock = clock;
    this.#bounds = bounds;
    this.#ring = ring;
  }

  /** Asks for a call at this monotonic time in ms. It comes no sooner than `minMs` from now, and no later than `maxMs`. */
  by(atMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    const { minMs, maxMs } = this.#bounds;
    const dueMs = Math.max(nowMs + minMs, Math.min(atMs, nowMs + maxMs));
    if (this.#stopped || this.#atMs <= dueMs) return;
    this.#cancel?.();
    this.#atMs = dueMs;
    this.#cancel = this.#clock.schedule(dueMs - nowMs, () => {
      this.#atMs = Number.POSITIVE_INFINITY;
      this.#ring();
    });
  }

  /** Calls back no more. */
  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }
}
