const LOOK_EVERY_MS = 1;
/** Shortest standstill, ms. A busy process is late by less; a longer gap means that it lost its processor or collected garbage. */
const STILL_MS = 3;

/**
 * Detects when this process stood still. Input that arrives during a standstill is read right after it, all at once. Its true arrival lies
 * between the start and the end of the standstill.
 */
export class Standstills {
  #lookedAtMs = performance.now();
  #last = { fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.NEGATIVE_INFINITY };

  constructor() {
    setInterval(() => {
      const nowMs = performance.now();
      if (nowMs - this.#lookedAtMs > STILL_MS) this.#last = { fromMs: this.#lookedAtMs, untilMs: nowMs };
      this.#lookedAtMs = nowMs;
    }, LOOK_EVERY_MS).unref();
  }

  /** Returns the earliest possible arrival of input that was read at `atMs`, both by `performance.now()`. */
  earliest(atMs: number): number {
    if (atMs - this.#lookedAtMs > STILL_MS) return this.#lookedAtMs;
    return atMs - this.#last.untilMs <= STILL_MS ? this.#last.fromMs : atMs;
  }
}
