import type { Clock } from '../../src/core/time/clock.ts';

/** A clock that moves only when a test advances it. */
export interface ManualClock extends Clock {
  /** Moves time forward and fires due timers in order. Asynchronous work that a timer starts has not run when this returns. */
  advance(durationMs: number): void;
  /** Jumps like the clock of a suspended process: all timers that fell due meanwhile fire once, now. */
  leap(durationMs: number): void;
  /** Resolves once a timer with exactly `delayMs` has been scheduled. */
  whenScheduled(delayMs: number): Promise<void>;
}

interface Timer {
  atMs: number;
  delayMs: number;
  fire: () => void;
}

export function createManualClock(startMs = Date.UTC(2026, 7, 1)): ManualClock {
  let elapsedMs = 0;
  const timers = new Set<Timer>();
  let waiters: { delayMs: number; resolve: () => void }[] = [];
  const dueBy = (untilMs: number) => [...timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
  return {
    now: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    schedule(delayMs, fire) {
      const timer = { atMs: elapsedMs + Math.max(0, delayMs), delayMs, fire };
      timers.add(timer);
      for (const waiter of waiters) if (waiter.delayMs === delayMs) waiter.resolve();
      waiters = waiters.filter((waiter) => waiter.delayMs !== delayMs);
      return () => timers.delete(timer);
    },
    advance(durationMs) {
      const untilMs = elapsedMs + durationMs;
      for (;;) {
        const [next] = dueBy(untilMs);
        if (next === undefined) break;
        timers.delete(next);
        elapsedMs = next.atMs;
        next.fire();
      }
      elapsedMs = untilMs;
    },
    leap(durationMs) {
      elapsedMs += durationMs;
      for (const timer of dueBy(elapsedMs)) {
        // A timer that fired earlier may have cancelled this one.
        if (timers.delete(timer)) timer.fire();
      }
    },
    whenScheduled(delayMs) {
      if ([...timers].some((timer) => timer.delayMs === delayMs)) return Promise.resolve();
      return new Promise((resolve) => waiters.push({ delayMs, resolve }));
    },
  };
}
