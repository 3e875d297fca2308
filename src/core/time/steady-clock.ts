import { type Clock, systemClock } from './clock.ts';

/**
 * A clock that goes on evenly from the machine's time at its creation. Later corrections of the machine's clock do not move it, until
 * `follow` is called. Its members can be passed on one by one, like those of any Clock.
 */
export class SteadyClock implements Clock {
  readonly monotonicMs: Clock['monotonicMs'];
  readonly schedule: Clock['schedule'];
  /** Time of the machine's clock, in epoch ms. */
  readonly machineNow: Clock['now'];
  #offsetMs: number;

  constructor({ now, monotonicMs, schedule } = systemClock) {
    this.machineNow = now;
    this.monotonicMs = monotonicMs;
    this.schedule = schedule;
    this.#offsetMs = now() - monotonicMs();
  }

  readonly now = (): number => Math.floor(this.#offsetMs + this.monotonicMs());

  /** Adopts the machine's time. Returns the difference to the previous time, in ms. */
  follow(): number {
    const beforeMs = this.now();
    this.#offsetMs = this.machineNow() - this.monotonicMs();
    return this.now() - beforeMs;
  }
}
