const INTERVAL_MS = 20;
const SAMPLES = 100;

/**
 * How late this process comes to what is due: the 99th percentile of the last hundred looks, two seconds' worth of them. So one
 * long pause (a garbage collection) is not taken for overload, and an overload that is over is forgotten soon. Real time,
 * whatever clock the rest runs on. Dispose it with `stop()`.
 */
export class EventLoopDelay {
  readonly #delaysMs = new Float64Array(SAMPLES);
  readonly #timer: NodeJS.Timeout;
  #next = 0;
  #lastMs = performance.now();
  #p99Ms = 0;

  constructor() {
    this.#timer = setInterval(() => this.#look(), INTERVAL_MS);
    this.#timer.unref();
  }

  /** Milliseconds beyond the time due. */
  get p99Ms(): number {
    return this.#p99Ms;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowMs = performance.now();
    this.#delaysMs[this.#next] = Math.max(0, nowMs - this.#lastMs - INTERVAL_MS);
    this.#next = (this.#next + 1) % SAMPLES;
    this.#lastMs = nowMs;
    this.#p99Ms = secondHighest(this.#delaysMs);
  }
}

/** Of a hundred values the 99th percentile. */
function secondHighest(values: Float64Array): number {
  let [first, second] = [0, 0];
  for (const value of values) {
    if (value > first) [first, second] = [value, first];
    else if (value > second) second = value;
  }
  return second;
}
