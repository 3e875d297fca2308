const MINUTE_MS = 60_000;
/** Beyond it everybody begins anew: that many have hardly had anything each. */
const PARTIES_MAX = 10_000;

/** Bounds how much of something each party may have within a minute. */
export class MinuteBudget {
  readonly #max: number;
  readonly #spent = new Map<string, { untilMs: number; count: number }>();

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Counts `count` more; 0 then. Where the party has not so much left, nothing is counted, and the answer is how many milliseconds it is
   * until a new minute begins for it. `nowMs` by a clock that never goes back.
   */
  take(party: string, count: number, nowMs: number): number {
    let minute = this.#spent.get(party);
    if (minute === undefined || minute.untilMs <= nowMs) {
      if (this.#spent.size >= PARTIES_MAX) this.#spent.clear();
      minute = { untilMs: nowMs + MINUTE_MS, count: 0 };
      this.#spent.set(party, minute);
    }
    if (minute.count + count > this.#max) return minute.untilMs - nowMs;
    minute.count += count;
    return 0;
  }
}
