import { chargedTatMs, type RateLimit, readyAtMs } from '../order/gcra.ts';
import { positive } from '../order/positive.ts';
import type { Parking } from '../scheduler-types.ts';

/** Inbound traffic can cost a number no more than this: an upstream that counts per second has forgotten what is older. */
const chargedAheadMaxMs = 1000;
/** How late a timer may be: all there is to make up for when nothing was held up before. */
const lateTimerMs = 5;

/** What a number may do now: its rate, its messages in flight, and whether it is stopped from outside. */
export class NumberAllowance {
  inFlight = 0;
  inFlightMax: number;
  paused: boolean;
  #passing: Parking | null = null;
  #stop: Parking | null = null;
  #limit: RateLimit;
  #tatMs = Number.NEGATIVE_INFINITY;
  /** Since when messages have been waiting that may go. */
  #waitingSinceMs = Number.NEGATIVE_INFINITY;

  constructor(settings: { ratePerSecond: number; inFlightMax: number; paused: boolean }, toleranceMs: number) {
    this.inFlightMax = settings.inFlightMax;
    this.paused = settings.paused;
    this.#limit = paceLimit(settings.ratePerSecond, toleranceMs);
  }

  /** What has gone at a slower rate counts for no more than it would have at this one. Throws RangeError when the rate is not positive. */
  setRate(ratePerSecond: number, nowMs: number): void {
    const limit = paceLimit(ratePerSecond, this.#limit.toleranceMs);
    const share = Math.min(1, limit.intervalMs / this.#limit.intervalMs);
    if (this.#tatMs > nowMs) this.#tatMs = nowMs + (this.#tatMs - nowMs) * share;
    this.#limit = limit;
  }

  /** When the rate allows the next message; in the past when it does now. */
  get paceAtMs(): number {
    return readyAtMs(this.#limit, this.#dueMs);
  }

  /** From now on messages wait that may go: before, nothing was held up. */
  beginWaiting(nowMs: number): void {
    this.#waitingSinceMs = nowMs;
  }

  /** Whether a message may go now. */
  allows(nowMs: number): boolean {
    return this.inFlight < this.inFlightMax && this.paceAtMs <= nowMs && !this.isStopped(nowMs);
  }

  isStopped(nowMs: number): boolean {
    return this.paused || this.parking(nowMs) !== null;
  }

  /** The parking in force. */
  parking(nowMs: number): Parking | null {
    const parking = longerOf(this.#passing, this.#stop);
    return parking !== null && parking.untilMs > nowMs ? parking : null;
  }

  /** Until that time, whatever is done: a shorter parking does not end a longer one. */
  park(untilMs: number, reason: string): void {
    this.#passing = longerOf(this.#passing, { untilMs, reason });
  }

  /** As `park`, but for `resume`. */
  stop(untilMs: number, reason: string): void {
    this.#stop = longerOf(this.#stop, { untilMs, reason });
  }

  resume(): void {
    this.#stop = null;
  }

  /** A message leaves. */
  depart(nowMs: number): void {
    this.inFlight += 1;
    this.#tatMs = chargedTatMs(this.#limit, this.#dueMs, nowMs, 1);
  }

  /**
   * The message that left at `departedAtMs` has not been sent after all. Its slot is given back while it is within the
   * tolerance; slots given back later would add up to a burst.
   */
  refund(departedAtMs: number, nowMs: number): void {
    if (nowMs - departedAtMs <= this.#limit.toleranceMs) this.#tatMs -= this.#limit.intervalMs;
  }

  /** Counts messages exchanged elsewhere. */
  charge(count: number, nowMs: number): void {
    const charged = chargedTatMs(this.#limit, this.#tatMs, nowMs, count);
    this.#tatMs = Math.max(this.#tatMs, Math.min(charged, nowMs + chargedAheadMaxMs));
  }

  /** The TAT, without what it is behind because nothing could go. */
  get #dueMs(): number {
    const parkedUntilMs = longerOf(this.#passing, this.#stop)?.untilMs ?? Number.NEGATIVE_INFINITY;
    const sinceMs = Number.isFinite(parkedUntilMs)
      ? Math.max(this.#waitingSinceMs, parkedUntilMs)
      : this.#waitingSinceMs;
    return Math.max(this.#tatMs, sinceMs + Math.max(0, this.#limit.toleranceMs - lateTimerMs));
  }
}

/** Of two that last as long, the other: it is told later. */
function longerOf(one: Parking | null, other: Parking | null): Parking | null {
  return one === null || (other !== null && one.untilMs <= other.untilMs) ? other : one;
}

function paceLimit(ratePerSecond: number, toleranceMs: number): RateLimit {
  return { intervalMs: 1000 / positive('ratePerSecond', ratePerSecond), toleranceMs };
}
