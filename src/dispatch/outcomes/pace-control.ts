/** What a number may do at most, as its accounts and the upstream's level say. */
export interface PaceCeiling {
  ratePerSecond: number;
  inFlightMax: number;
}

/** How an attempt ended, as far as pace is concerned. */
export type PaceSignal = 'accepted' | 'throttled' | 'trouble';

const CUT_EVERY_MS = 1_000;
/** A throttle that came so long after the one before is none of a row. */
const ALONE_MS = 30_000;
const RECOVER_EVERY_MS = 1_000;
const RATE_CUT = 0.5;
const RATE_STEP_SHARE = 0.05;
const RATE_FLOOR_SHARE = 0.05;
/** What one trouble takes of what may be in flight: where all of a round of answers are trouble, half of it. */
const IN_FLIGHT_CUT = 0.5;
const IN_FLIGHT_FLOOR = 4;

/**
 * The pace one number is held to right now, never above its ceiling. A throttle halves the rate. One that came alone says no more than
 * that messages came closer together on their way than they left, and the rate is back a second later; after one of a row it comes back
 * step by step while messages are accepted. Throttles of what was in flight together are one event, so cuts are at least a second apart.
 * Trouble (no answer, or a passing failure) narrows what may be in flight by its share of the answers: a platform in which nothing works
 * has it halved with every round of them, and the few that fail on a platform that works well leave room for the whole rate.
 */
export class PaceControl {
  #ceiling: PaceCeiling;
  #ratePerSecond: number;
  #inFlightMax: number;
  #rateCutAtMs = Number.NEGATIVE_INFINITY;
  #isCutAlone = false;
  #rateRaisedAtMs = Number.NEGATIVE_INFINITY;

  constructor(ceiling: PaceCeiling) {
    this.#ceiling = ceiling;
    this.#ratePerSecond = ceiling.ratePerSecond;
    this.#inFlightMax = ceiling.inFlightMax;
  }

  get ratePerSecond(): number {
    return this.#ratePerSecond;
  }

  get inFlightMax(): number {
    return Math.floor(this.#inFlightMax);
  }

  /** A new ceiling: a number at its old one goes to the new one at once, a slowed one climbs on from where it is. */
  setCeiling(ceiling: PaceCeiling): void {
    const wasAtRate = this.#ratePerSecond >= this.#ceiling.ratePerSecond;
    const wasAtInFlight = this.#inFlightMax >= this.#ceiling.inFlightMax;
    this.#ceiling = ceiling;
    this.#ratePerSecond = wasAtRate ? ceiling.ratePerSecond : Math.min(this.#ratePerSecond, ceiling.ratePerSecond);
    this.#inFlightMax = wasAtInFlight ? ceiling.inFlightMax : Math.min(this.#inFlightMax, ceiling.inFlightMax);
  }

  /** Takes an attempt's end into account. Answers whether the pace changed. */
  note(signal: PaceSignal, nowMs: number): boolean {
    switch (signal) {
      case 'throttled':
        return this.#cutRate(nowMs);
      case 'trouble':
        return this.#changeInFlight(-IN_FLIGHT_CUT);
      case 'accepted':
        return this.#recover(nowMs);
    }
  }

  #cutRate(nowMs: number): boolean {
    if (nowMs - this.#rateCutAtMs < CUT_EVERY_MS) return false;
    this.#isCutAlone = nowMs - this.#rateCutAtMs >= ALONE_MS;
    this.#rateCutAtMs = nowMs;
    this.#rateRaisedAtMs = nowMs;
    this.#ratePerSecond = Math.max(this.#ceiling.ratePerSecond * RATE_FLOOR_SHARE, this.#ratePerSecond * RATE_CUT);
    return true;
  }

  #recover(nowMs: number): boolean {
    let changed = false;
    if (this.#ratePerSecond < this.#ceiling.ratePerSecond && nowMs - this.#rateRaisedAtMs >= RECOVER_EVERY_MS) {
      this.#rateRaisedAtMs = nowMs;
      const step = this.#ceiling.ratePerSecond * (this.#isCutAlone ? 1 : RATE_STEP_SHARE);
      this.#ratePerSecond = Math.min(this.#ceiling.ratePerSecond, this.#ratePerSecond + step);
      changed = true;
    }
    // One more per full round of answers.
    return this.#changeInFlight(1 / this.#inFlightMax) || changed;
  }

  #changeInFlight(change: number): boolean {
    const before = this.inFlightMax;
    const { inFlightMax: most } = this.#ceiling;
    this.#inFlightMax = Math.min(most, Math.max(Math.min(IN_FLIGHT_FLOOR, most), this.#inFlightMax + change));
    return this.inFlightMax !== before;
  }
}
