import { createManualClock, type ManualClock } from './manual-clock.ts';

/** A manual clock that also advances by itself, until it is stopped. */
export interface TickingClock extends ManualClock {
  stop(): void;
}

const TICK_MS = 5;

/**
 * Creates a clock for a whole gateway whose time a test moves forward. Parts of a gateway always wait a few milliseconds, and would wait
 * forever on a clock that stands still. It never runs faster than the system's clock, and runs slower on a busy machine.
 */
export function createTickingClock(startMs: number): TickingClock {
  const clock = createManualClock(startMs);
  const ticking = setInterval(() => clock.advance(TICK_MS), TICK_MS);
  return { ...clock, stop: () => clearInterval(ticking) };
}
