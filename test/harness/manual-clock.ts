import type { Clock } from '../../src/core/clock.ts';

/** A clock that stands still until it is told to go on. */
export interface ManualClock extends Clock {
  /** Moves time forward, firing what falls due in its order. What a timer starts asynchronously has not run when this returns. */
  advance(durationMs: number): void;
}

export function createManualClock(startMs = Date.UTC(2026, 7, 1)): ManualClock {
  let elapsedMs = 0;
  const timers = new Set<{ atMs: number; fire: () => void }>();
  return {
    now: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    schedule(delayMs, fire) {
      const timer = { atMs: elapsedMs + Math.max(0, delayMs), fire };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(durationMs) {
      const untilMs = elapsedMs + durationMs;
      for (;;) {
        const [next] = [...timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
        if (next === undefined) break;
        timers.delete(next);
        elapsedMs = next.atMs;
        next.fire();
      }
      elapsedMs = untilMs;
    },
  };
}
