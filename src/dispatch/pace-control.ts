/** What a number may do at most, as its accounts and the upstream's level say. */
export interface PaceCeiling {
  ratePerSecond: number;
  inFlightMax: number;
}

/** How an attempt ended, as far as pace is concerned. */
export type PaceSignal = 'accepted' | 'throttled' | 'trouble';

const CUT_EVERY_MS = 1_000;
const RECOVER_EVERY_MS = 1_000;
const RATE_CUT = 0.5;
const RATE_STEP_SHARE = 0.05;
const RATE_FLOOR_SHARE = 0.05;
const IN_FLIGHT_CUT = 0.5;
const IN_FLIGHT_FLOOR = 4;

/**
 * The pace one number is held to right now: additive increase, multiplicative decrease, never above its ceiling. A throttle halves
 * the rate, trouble (no answer, or a passing failure) halves what may be in flight; both come back step by step while messages
 * are accepted. Answers to what was in flight together are one event, so cuts are at least a second apart.
 */
export class PaceControl {
  #ceiling: PaceCeiling;
  #ratePerSecond: number;
  #inFlightMax: number;
  #rateCutAtMs = Number.NEGATIVE_INFINITY;
  #inFlightCutAtMs = Number.NEGATIVE_INFINITY;
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
        return this.#cutInFlight(nowMs);
      case 'accepted':
        return this.#recover(nowMs);
    }
  }

  #cutRate(nowMs: number): boolean {
    if (nowMs - this.#rateCutAtMs < CUT_EVERY_MS) return false;
    this.#rateCutAtMs = nowMs;
    this.#rateRaisedAtMs = nowMs;
    this.#ratePerSecond = Math.max(this.#ceiling.ratePerSecond * RATE_FLOOR_SHARE, this.#ratePerSecond * RATE_CUT);
    return true;
  }

  #cutInFlight(nowMs: number): boolean {
    if (nowMs - this.#inFlightCutAtMs < CUT_EVERY_MS) return false;
    this.#inFlightCutAtMs = nowMs;
    this.#inFlightMax = Math.max(
      Math.min(IN_FLIGHT_FLOOR, this.#ceiling.inFlightMax),
      this.#inFlightMax * IN_FLIGHT_CUT,
    );
    return true;
  }

  #recover(nowMs: number): boolean {
    let changed = false;
    if (this.#ratePerSecond < this.#ceiling.ratePerSecond && nowMs - this.#rateRaisedAtMs >= RECOVER_EVERY_MS) {
      this.#rateRaisedAtMs = nowMs;
      const step = this.#ceiling.ratePerSecond * RATE_STEP_SHARE;
      this.#ratePerSecond = Math.min(this.#ceiling.ratePerSecond, this.#ratePerSecond + step);
      changed = true;
    }
    const before = this.inFlightMax;
    // One more per full round of answers.
    this.#inFlightMax = Math.min(this.#ceiling.inFlightMax, this.#inFlightMax + 1 / this.#inFlightMax);
    return changed || this.inFlightMax !== before;
  }
}
