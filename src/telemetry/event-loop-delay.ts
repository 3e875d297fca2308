/** Each sample wakes the process, so an idle process must not take many. */
const INTERVAL_MS = 250;
const SAMPLES = 100;

/**
 * Measures how late timers of this process fire: the 99th percentile of the last 100 samples, which cover 25 s. One long pause, such as a
 * garbage collection, therefore does not count as overload; the value of an overload stays for up to 25 s after its end. Uses real time,
 * whatever clock the other modules use. Dispose it with `stop()`.
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

  /** Delay in milliseconds beyond the due time. */
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

/** The second highest value: the 99th percentile of 100 values. */
function secondHighest(values: Float64Array): number {
  let [first, second] = [0, 0];
  for (const value of values) {
    if (value > first) [first, second] = [value, first];
    else if (value > second) second = value;
  }
  return second;
}
