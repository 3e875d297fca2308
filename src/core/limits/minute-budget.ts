const MINUTE_MS = 60_000;
/** Most parties remembered. Beyond it all counts restart: with that many parties, each has used little. */
const PARTIES_MAX = 10_000;

/** Bounds how much each party may use within a minute. */
export class MinuteBudget {
  readonly #max: number;
  readonly #spent = new Map<string, { untilMs: number; count: number }>();

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Counts `count` more and returns 0. If the party has less than that left, counts nothing and returns the milliseconds until its next
   * minute begins. `nowMs` must come from a clock that never goes back.
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
