import { type Clock, systemClock } from '../../src/core/clock.ts';

/** A clock that runs `factor` times as fast as the system's, for what waits seconds or minutes by design. */
export function createFastClock(factor: number): Clock {
  const startMs = Date.now();
  const originMs = performance.now();
  const elapsedMs = () => (performance.now() - originMs) * factor;
  return {
    now: () => Math.floor(startMs + elapsedMs()),
    monotonicMs: elapsedMs,
    schedule: (delayMs, fire) => systemClock.schedule(delayMs / factor, fire),
  };
}
