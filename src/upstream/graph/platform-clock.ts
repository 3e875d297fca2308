import type { Clock } from '../../core/time/clock.ts';

/** `Date` tells whole seconds. */
const TOLD_IN_MS = 1_000;
/** What is further away from this machine's clock than that is told by no platform. */
const AWAY_MS_MAX = 3_600_000;
/** By so much no clock drifts from one answer to the next. */
const LEAP_MS = 2_000;

/** How far the platform's clock is ahead of this process's monotonic one: at least and at most. */
interface Lead {
  leastMs: number;
  mostMs: number;
}

/**
 * What time it is at the platform. What the platform stamps can be compared with nothing else: this machine's clock may be minutes away
 * from it. Every message the platform takes is answered with a `Date`; until one has been, it is what this machine's clock says.
 */
export class PlatformClock {
  readonly #clock: Clock;
  #lead: Lead | undefined;
  /** What the answer before this one told that cannot be true as well. Some box in between may have answered; twice, and it is believed. */
  #doubt: Lead | undefined;
  /** How far this machine's clock was ahead of the monotonic one by the last answer that was believed. */
  #learnedAtMachineLeadMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether it goes by what the platform has told since this machine's clock last leapt: with a suspended machine the monotonic one stands still. */
  get isKnown(): boolean {
    return Math.abs(this.#machineLeadMs() - this.#learnedAtMachineLeadMs) <= LEAP_MS;
  }

  /** What it said, as far as is known by now, at a moment of this process's monotonic clock. Epoch milliseconds. */
  at(monotonicMs: number): number {
    const leadMs = this.#lead === undefined ? this.#machineLeadMs() : (this.#lead.leastMs + this.#lead.mostMs) / 2;
    return Math.round(monotonicMs + leadMs);
  }

  now(): number {
    return this.at(this.#clock.monotonicMs());
  }

  /** Takes in the `Date` of an answer to what was written and answered at these moments of the monotonic clock. */
  learn(date: string | undefined, writtenMs: number, answeredMs: number): void {
    const toldMs = Date.parse(date ?? '');
    // Not a number, where it cannot be read.
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

/** What is true of both; undefined when nothing is. */
function both(one: Lead, other: Lead): Lead | undefined {
  const lead = { leastMs: Math.max(one.leastMs, other.leastMs), mostMs: Math.min(one.mostMs, other.mostMs) };
  return lead.leastMs <= lead.mostMs ? lead : undefined;
}
