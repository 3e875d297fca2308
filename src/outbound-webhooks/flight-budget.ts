/** Attempts under way that are not known to be slow: what bounds the load of healthy endpoints. */
const YOUNG_MAX = 256;
const YOUNG_MS = 250;
/** Slow attempts under way, shared evenly by the owners that have any. */
const SLOW_MAX = 2_048;

/** An attempt under way. */
export interface Flight<Owner> {
  readonly owner: Owner;
  readonly startedAtMs: number;
  phase: 'young' | 'slow' | 'ended';
}

/**
 * Bounds what is under way at once, twice: attempts not known to be slow share a small budget, which those of a healthy endpoint
 * leave quickly. One that takes longer leaves it, too, and from then on counts against its own endpoint's share of the slow
 * ones. So endpoints that hang fill up their shares and delay nobody. Times are monotonic milliseconds.
 */
export class FlightBudget<Owner> {
  readonly #slowOf = new Map<Owner, number>();
  /** Young ones by their start; some have ended. */
  #young: Flight<Owner>[] = [];
  #youngCount = 0;
  #count = 0;

  /** All that is under way. */
  get count(): number {
    return this.#count;
  }

  /** No more may start now. */
  get isFull(): boolean {
    return this.#youngCount >= YOUNG_MAX;
  }

  /** How many an owner may have under way at once because of its slow ones. */
  maxOf(owner: Owner): number {
    if (!this.#slowOf.has(owner)) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor(SLOW_MAX / this.#slowOf.size));
  }

  start(owner: Owner, nowMs: number): Flight<Owner> {
    const flight: Flight<Owner> = { owner, startedAtMs: nowMs, phase: 'young' };
    this.#young.push(flight);
    this.#youngCount += 1;
    this.#count += 1;
    return flight;
  }

  end(flight: Flight<Owner>): void {
    if (flight.phase === 'young') this.#youngCount -= 1;
    else if (flight.phase === 'slow') this.#countSlow(flight.owner, -1);
    flight.phase = 'ended';
    this.#count -= 1;
  }

  /** Tells the slow from the young; to be called every now and then. */
  age(nowMs: number): void {
    let aged = 0;
    for (const flight of this.#young) {
      if (nowMs - flight.startedAtMs < YOUNG_MS) break;
      aged += 1;
      if (flight.phase !== 'young') continue;
      flight.phase = 'slow';
      this.#youngCount -= 1;
      this.#countSlow(flight.owner, 1);
    }
    this.#young.splice(0, aged);
  }

  #countSlow(owner: Owner, change: 1 | -1): void {
    const count = (this.#slowOf.get(owner) ?? 0) + change;
    if (count > 0) this.#slowOf.set(owner, count);
    else this.#slowOf.delete(owner);
  }
}
