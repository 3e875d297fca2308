import { type Clock, systemClock } from '../../src/core/time/clock.ts';

/**
 * A clock that runs `factor` times as fast as the system's, for waits of seconds or minutes by design. It starts at its first read.
 * Otherwise slow tests before it would put it minutes ahead, and a gateway does not start with such a clock.
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
