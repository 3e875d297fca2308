/** Upper limits of a number, from its account settings and the platform's throughput level. */
export interface PaceCeiling {
  ratePerSecond: number;
  inFlightMax: number;
}

/** Result of an attempt that matters for the pace. */
export type PaceSignal = 'accepted' | 'throttled' | 'trouble';

const CUT_EVERY_MS = 1_000;
/** A throttle this long after the previous one counts as a single event. */
const ALONE_MS = 30_000;
const RECOVER_EVERY_MS = 1_000;
const RATE_CUT = 0.5;
const RATE_STEP_SHARE = 0.05;
const RATE_FLOOR_SHARE = 0.05;
/** Share of a full round of answers: a round of only trouble halves the messages in flight. */
const IN_FLIGHT_CUT = 0.5;
const IN_FLIGHT_FLOOR = 4;

/**
 * The current pace of one number, never above its ceiling. Throttles of messages that were in flight together are one event, so cuts are at
 * least one second apart. Each cut halves the rate.
 * The first throttle in 30 s is probably network jitter: the full rate returns after one second. If throttles repeat, the rate climbs back
 * 5 % of the ceiling per second while messages are accepted.
 * Trouble (no answer, or a temporary failure) lowers the limit of messages in flight by its share of the answers. If every answer is
 * trouble, each round halves the limit. A few failures on a healthy platform leave room for the whole rate.
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

  /** Sets a new ceiling. A number at its old ceiling follows at once; a slowed number keeps its pace and climbs from there. */
  setCeiling(ceiling: PaceCeiling): void {
    const wasAtRate = this.#ratePerSecond >= this.#ceiling.ratePerSecond;
    const wasAtInFlight = this.#inFlightMax >= this.#ceiling.inFlightMax;
    this.#ceiling = ceiling;
    this.#ratePerSecond = wasAtRate ? ceiling.ratePerSecond : Math.min(this.#ratePerSecond, ceiling.ratePerSecond);
    this.#inFlightMax = wasAtInFlight ? ceiling.inFlightMax : Math.min(this.#inFlightMax, ceiling.inFlightMax);
  }

  /** Adjusts the pace to the end of an attempt. Returns true if it changed. */
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
