/** Most attempts in flight that are not known to be slow: the bound on the load of healthy endpoints. */
const YOUNG_MAX = 256;
const YOUNG_MS = 250;
/** Most slow attempts in flight, shared evenly by the owners that have any. */
const SLOW_MAX = 2_048;
/** Bytes up to which an attempt counts as one; a larger attempt counts as several. */
const BYTES_OF_ONE = 16 * 1024;

/** Attempt in flight. */
export interface Flight<Owner> {
  readonly owner: Owner;
  readonly startedAtMs: number;
  /** Number of ordinary attempts that take as much memory. */
  readonly weight: number;
  phase: 'young' | 'slow';
}

/**
 * Bounds the attempts in flight with two budgets.
 * Attempts not known to be slow share a small budget, which the attempts of a healthy endpoint leave quickly. An attempt that lasts
 * longer moves to the slow budget, where it counts against its own endpoint's share. The endpoint's next attempts count there, too, until
 * one of them is quick. So endpoints that hang fill their own shares and delay no others.
 * Attempts count by the memory they take. While the slow budget is full, every owner whose last attempt was not quick has one attempt at
 * a time. Times are monotonic milliseconds.
 */
export class FlightBudget<Owner extends object> {
  readonly #lastWas = new WeakMap<Owner, 'quick' | 'slow'>();
  readonly #slowOf = new Map<Owner, { count: number; weight: number }>();
  #slowWeight = 0;
  /** Attempts not known to be slow, in the order of their starts. */
  readonly #young = new Set<Flight<Owner>>();
  #youngWeight = 0;
  #count = 0;

  /** Number of attempts in flight. */
  get count(): number {
    return this.#count;
  }

  /** True if no more attempts may start now. */
  get isFull(): boolean {
    return this.#youngWeight >= YOUNG_MAX;
  }

  /** Returns the most attempts that an owner may have in flight because of its slow ones. */
  maxOf(owner: Owner): number {
    if (this.#slowWeight >= SLOW_MAX && this.#lastWas.get(owner) !== 'quick') return 1;
    const slow = this.#slowOf.get(owner);
    if (slow === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor((SLOW_MAX / this.#slowOf.size) * (slow.count / slow.weight)));
  }

  /** Starts an attempt that takes `bytes` of memory. */
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

  /** Moves attempts that have become slow to the slow budget. Call it regularly. */
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
