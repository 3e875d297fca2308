/** Attempts under way that are not known to be slow: what bounds the load of healthy endpoints. */
const YOUNG_MAX = 256;
const YOUNG_MS = 250;
/** Slow attempts under way, shared evenly by the owners that have any. */
const SLOW_MAX = 2_048;
/** What takes more room than this counts as several. */
const BYTES_OF_ONE = 16 * 1024;

/** An attempt under way. */
export interface Flight<Owner> {
  readonly owner: Owner;
  readonly startedAtMs: number;
  /** How many ordinary ones it takes the room of. */
  readonly weight: number;
  phase: 'young' | 'slow';
}

/**
 * Bounds what is under way at once, twice: attempts not known to be slow share a small budget, which those of a healthy endpoint
 * leave quickly. One that takes longer leaves it, too, and from then on counts against its own endpoint's share of the slow
 * ones, as do those that the endpoint gets next, until one is quick. So endpoints that hang fill up their shares and delay nobody.
 * Attempts count by the room they take; while the slow ones take all of theirs, every owner that was not quick the last time has one
 * at a time. Times are monotonic milliseconds.
 */
export class FlightBudget<Owner extends object> {
  readonly #lastWas = new WeakMap<Owner, 'quick' | 'slow'>();
  readonly #slowOf = new Map<Owner, { count: number; weight: number }>();
  #slowWeight = 0;
  /** Young ones by their start. */
  readonly #young = new Set<Flight<Owner>>();
  #youngWeight = 0;
  #count = 0;

  /** All that is under way. */
  get count(): number {
    return this.#count;
  }

  /** No more may start now. */
  get isFull(): boolean {
    return this.#youngWeight >= YOUNG_MAX;
  }

  /** How many an owner may have under way at once because of its slow ones. */
  maxOf(owner: Owner): number {
    if (this.#slowWeight >= SLOW_MAX && this.#lastWas.get(owner) !== 'quick') return 1;
    const slow = this.#slowOf.get(owner);
    if (slow === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor((SLOW_MAX / this.#slowOf.size) * (slow.count / slow.weight)));
  }

  /** Begins an attempt that takes `bytes` of memory. */
  start(owner: Owner, nowMs: number, bytes = 0): Flight<Owner> {
    const weight = Math.max(1, Math.ceil(bytes / BYTES_OF_ONE));
    const phase = this.#lastWas.get(owner) === 'slow' ? 'slow' : 'young';
    const flight: Flight<Owner> = { owner, startedAtMs: nowMs, weight, phase };
    this.#count += 1;
    if (phase === 'slow') this.#countSlow(flight, 1);
    else {
      this.#young.add(flight);
      this.#youngWeight += weight;
    }
    return flight;
  }

  end(flight: Flight<Owner>, nowMs: number): void {
    this.#lastWas.set(flight.owner, nowMs - flight.startedAtMs < YOUNG_MS ? 'quick' : 'slow');
    if (flight.phase === 'young') this.#leaveYoung(flight);
    else this.#countSlow(flight, -1);
    this.#count -= 1;
  }

  /** Tells the slow from the young; to be called every now and then. */
  age(nowMs: number): void {
    for (const flight of this.#young) {
      if (nowMs - flight.startedAtMs < YOUNG_MS) break;
      this.#leaveYoung(flight);
      flight.phase = 'slow';
      this.#lastWas.set(flight.owner, 'slow');
      this.#countSlow(flight, 1);
    }
  }

  #leaveYoung(flight: Flight<Owner>): void {
    this.#young.delete(flight);
    this.#youngWeight -= flight.weight;
  }

  #countSlow({ owner, weight }: Flight<Owner>, change: 1 | -1): void {
    const slow = this.#slowOf.get(owner) ?? { count: 0, weight: 0 };
    slow.count += change;
    slow.weight += change * weight;
    this.#slowWeight += change * weight;
    if (slow.count > 0) this.#slowOf.set(owner, slow);
    else this.#slowOf.delete(owner);
  }
}
