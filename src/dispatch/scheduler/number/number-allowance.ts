import { chargedTatMs, type RateLimit, readyAtMs } from '../../../core/limits/rate-limit.ts';
import { positive } from '../order/positive.ts';
import type { Parking } from '../scheduler-types.ts';

/** Upper limit for the charge of inbound traffic: a platform that counts per second ignores older messages. */
const chargedAheadMaxMs = 1000;
/** Maximum lateness of a timer: only this much is caught up if no message was held up before. */
const lateTimerMs = 5;

/** The current allowance of a number: its rate, its messages in flight, and its pause or parking. */
export class NumberAllowance {
  inFlight = 0;
  inFlightMax: number;
  paused: boolean;
  #passing: Parking | null = null;
  #stop: Parking | null = null;
  #limit: RateLimit;
  #tatMs = Number.NEGATIVE_INFINITY;
  /** Start of the current wait of messages that may go. */
  #waitingSinceMs = Number.NEGATIVE_INFINITY;

  constructor(settings: { ratePerSecond: number; inFlightMax: number; paused: boolean }, toleranceMs: number) {
    this.inFlightMax = settings.inFlightMax;
    this.paused = settings.paused;
    this.#limit = paceLimit(settings.ratePerSecond, toleranceMs);
  }

  /** Returns a copy, whose charges change nothing here. */
  copy(): NumberAllowance {
    const { inFlightMax, paused } = this;
    const copy = new NumberAllowance({ ratePerSecond: 1, inFlightMax, paused }, 0);
    copy.inFlight = this.inFlight;
    copy.#passing = this.#passing;
    copy.#stop = this.#stop;
    copy.#limit = this.#limit;
    copy.#tatMs = this.#tatMs;
    copy.#waitingSinceMs = this.#waitingSinceMs;
    return copy;
  }

  /**
   * Changes the rate and the limit of messages in flight. Messages sent at a slower rate count for no more than at the new one. Throws
   * RangeError if the rate is not positive.
   */
  setPace({ ratePerSecond, inFlightMax }: { ratePerSecond: number; inFlightMax: number }, nowMs: number): void {
    const limit = paceLimit(ratePerSecond, this.#limit.toleranceMs);
    const share = Math.min(1, limit.intervalMs / this.#limit.intervalMs);
    if (this.#tatMs > nowMs) this.#tatMs = nowMs + (this.#tatMs - nowMs) * share;
    this.#limit = limit;
    this.inFlightMax = inFlightMax;
  }

  /** Returns when the rate permits the next message; a time in the past means now. */
  get paceAtMs(): number {
    return readyAtMs(this.#limit, this.#dueMs);
  }

  /** Marks the start of a wait of messages that may go: before, no message was held up. */
  beginWaiting(nowMs: number): void {
    this.#waitingSinceMs = nowMs;
  }

  /** Returns true if a message may go now. */
  allows(nowMs: number): boolean {
    return this.inFlight < this.inFlightMax && this.paceAtMs <= nowMs && !this.isStopped(nowMs);
  }

  isStopped(nowMs: number): boolean {
    return this.paused || this.parking(nowMs) !== null;
  }

  /** Returns the parking in force. */
  parking(nowMs: number): Parking | null {
    const parking = longerOf(this.#passing, this.#stop);
    return parking !== null && parking.untilMs > nowMs ? parking : null;
  }

  /** Parks until that time, regardless of `resume`. A shorter parking does not end a longer one. */
  park(untilMs: number, reason: string): void {
    this.#passing = longerOf(this.#passing, { untilMs, reason });
  }

  /** Like `park`, but ended by `resume`. */
  stop(untilMs: number, reason: string): void {
    this.#stop = longerOf(this.#stop, { untilMs, reason });
  }

  resume(nowMs: number): void {
    this.#stop = null;
    this.beginWaiting(nowMs);
  }

  setPaused(paused: boolean, nowMs: number): void {
    if (this.paused && !paused) this.beginWaiting(nowMs);
    this.paused = paused;
  }

  /** Charges a message that leaves. */
  depart(nowMs: number): void {
    this.inFlight += 1;
    this.#tatMs = chargedTatMs(this.#limit, this.#dueMs, nowMs, 1);
  }

  /**
   * Takes back the charge of a message that left at `departedAtMs` but was not sent after all. Its slot is given back only within the
   * tolerance; slots given back later would add up to a burst.
   */
  refund(departedAtMs: number, nowMs: number): void {
    if (nowMs - departedAtMs <= this.#limit.toleranceMs) this.#tatMs -= this.#limit.intervalMs;
  }

  /** Counts messages that were not sent by this scheduler. */
  charge(count: number, nowMs: number): void {
    const charged = chargedTatMs(this.#limit, this.#tatMs, nowMs, count);
    this.#tatMs = Math.max(this.#tatMs, Math.min(charged, nowMs + chargedAheadMaxMs));
  }

  /** The TAT, without the lag from times in which no message could go. */
  get #dueMs(): number {
    const parkedUntilMs = longerOf(this.#passing, this.#stop)?.untilMs ?? Number.NEGATIVE_INFINITY;
    const sinceMs = Number.isFinite(parkedUntilMs)
      ? Math.max(this.#waitingSinceMs, parkedUntilMs)
      : this.#waitingSinceMs;
    return Math.max(this.#tatMs, sinceMs + Math.max(0, this.#limit.toleranceMs - lateTimerMs));
  }
}

/** Returns the longer parking; for equal ends the newer `other`. */
function longerOf(one: Parking | null, other: Parking | null): Parking | null {
  return one === null || (other !== null && one.untilMs <= other.untilMs) ? other : one;
}

function paceLimit(ratePerSecond: number, toleranceMs: number): RateLimit {
  return { intervalMs: 1000 / positive('ratePerSecond', ratePerSecond), toleranceMs };
}
