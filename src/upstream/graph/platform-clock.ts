import type { Clock } from '../../core/time/clock.ts';

/** Resolution of the `Date` header: whole seconds. */
const TOLD_IN_MS = 1_000;
/** A `Date` further from this machine's clock than one hour is ignored: the platform's clock is never that far off. */
const AWAY_MS_MAX = 3_600_000;
/** No clock drifts by this much between two answers, so a larger difference is a leap. */
const LEAP_MS = 2_000;

/** Bounds of the platform clock's lead over this process's monotonic clock. */
interface Lead {
  leastMs: number;
  mostMs: number;
}

/**
 * Estimates the platform's time. The platform's timestamps can be compared with no other clock, because this machine's clock may be minutes
 * off.
 * Learns from the `Date` of every accepted message; before the first one it follows this machine's clock.
 */
export class PlatformClock {
  readonly #clock: Clock;
  #lead: Lead | undefined;
  /**
   * The previous answer's bounds, if they contradict the estimate. A proxy in between may have answered; a second answer that agrees is
   * believed.
   */
  #doubt: Lead | undefined;
  /** The lead of this machine's clock over the monotonic clock at the last believed answer. */
  #learnedAtMachineLeadMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * True if the platform's `Date` has been learned since this machine's clock last leapt. The monotonic clock stops while a machine is
   * suspended.
   */
  get isKnown(): boolean {
    return Math.abs(this.#machineLeadMs() - this.#learnedAtMachineLeadMs) <= LEAP_MS;
  }

  /** Returns the platform's time, in epoch milliseconds, at a moment of this process's monotonic clock. */
  at(monotonicMs: number): number {
    const leadMs = this.#lead === undefined ? this.#machineLeadMs() : (this.#lead.leastMs + this.#lead.mostMs) / 2;
    return Math.round(monotonicMs + leadMs);
  }

  now(): number {
    return this.at(this.#clock.monotonicMs());
  }

  /** Learns from the `Date` of an answer, given the monotonic times at which the request was written and answered. */
  learn(date: string | undefined, writtenMs: number, answeredMs: number): void {
    const toldMs = Date.parse(date ?? '');
    // An unreadable date is NaN, and every comparison with NaN is false.
    if (!(Math.abs(toldMs - this.#clock.now()) <= AWAY_MS_MAX)) return;
    const told = { leastMs: toldMs - answeredMs, mostMs: toldMs + TOLD_IN_MS - writtenMs };
    const lead = this.#lead === undefined ? told : both(this.#lead, told);
    const believed = lead ?? (this.#doubt && both(this.#doubt, told));
    this.#doubt = lead === undefined ? told : undefined;
    if (believed === undefined) return;
    this.#lead = believed;
    this.#learnedAtMachineLeadMs = this.#machineLeadMs();
  }

  #machineLeadMs(): number {
    return this.#clock.now() - this.#clock.monotonicMs();
  }
}

/** Returns the intersection of two bounds; undefined if they contradict each other. */
function both(one: Lead, other: Lead): Lead | undefined {
  const lead = { leastMs: Math.max(one.leastMs, other.leastMs), mostMs: Math.min(one.mostMs, other.mostMs) };
  return lead.leastMs <= lead.mostMs ? lead : undefined;
}
