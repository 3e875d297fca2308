import { type Clock, systemClock } from './clock.ts';

/**
 * A clock that goes on evenly from where the machine's stood when it was made: what sets the machine's clock later does not move it,
 * until it is told to follow. Like any clock's, its members can be handed on one by one.
 */
export class SteadyClock implements Clock {
  readonly monotonicMs: Clock['monotonicMs'];
  readonly schedule: Clock['schedule'];
  /** What the machine's clock says now, in epoch ms. */
  readonly machineNow: Clock['now'];
  #offsetMs: number;

  constructor({ now, monotonicMs, schedule } = systemClock) {
    this.machineNow = now;
    this.monotonicMs = monotonicMs;
    this.schedule = schedule;
    this.#offsetMs = now() - monotonicMs();
  }

  readonly now = (): number => Math.floor(this.#offsetMs + this.monotonicMs());

  /** Goes on from what the machine's clock says now. Answers how far that is from where it stood, in ms. */
  follow(): number {
    const beforeMs = this.now();
    this.#offsetMs = this.machineNow() - this.monotonicMs();
    return this.now() - beforeMs;
  }
}
