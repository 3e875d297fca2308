const LOOK_EVERY_MS = 1;
/** What a process is late by for being busy is less; a standstill is its processor's being taken away, or a collection. */
const STILL_MS = 3;

/**
 * When this process stood still. What came meanwhile is read right after, as if all of it had just come: of such a thing no more is
 * known than that it came between the one time and the other.
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

  /** The earliest at which something may have come that was read at `atMs`, both of `performance.now()`. */
  earliest(atMs: number): number {
    if (atMs - this.#lookedAtMs > STILL_MS) return this.#lookedAtMs;
    return atMs - this.#last.untilMs <= STILL_MS ? this.#last.fromMs : atMs;
  }
}
