import { createManualClock, type ManualClock } from './manual-clock.ts';

/** A manual clock that goes on by itself as well, until it is stopped. */
export interface TickingClock extends ManualClock {
  stop(): void;
}

const TICK_MS = 5;

/**
 * For a whole gateway whose time a test moves forward: something in it always waits a few milliseconds, and would wait forever
 * by a clock that stands still. It never goes faster than the system's, and slower on a machine that is busy.
 */
export function createTickingClock(startMs: number): TickingClock {
  const clock = createManualClock(startMs);
  const ticking = setInterval(() => clock.advance(TICK_MS), TICK_MS);
  return { ...clock, stop: () => clearInterval(ticking) };
}
