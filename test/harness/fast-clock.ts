import { type Clock, systemClock } from '../../src/core/time/clock.ts';

/**
 * A clock that runs `factor` times as fast as the system's, for what waits seconds or minutes by design. It starts when it is first
 * read: tests that come before may take long, and a gateway does not start with a clock that is minutes ahead.
 */
export function createFastClock(factor: number): Clock {
  let started: { atMs: number; originMs: number } | undefined;
  const start = () => {
    started ??= { atMs: Date.now(), originMs: performance.now() };
    return started;
  };
  const elapsedMs = () => (performance.now() - start().originMs) * factor;
  return {
    now: () => Math.floor(start().atMs + elapsedMs()),
    monotonicMs: elapsedMs,
    schedule: (delayMs, fire) => systemClock.schedule(delayMs / factor, fire),
  };
}
