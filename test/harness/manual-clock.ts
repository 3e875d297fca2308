import type { Clock } from '../../src/core/time/clock.ts';

/** A clock that stands still until it is told to go on. */
export interface ManualClock extends Clock {
  /** Moves time forward, firing what falls due in its order. What a timer starts asynchronously has not run when this returns. */
  advance(durationMs: number): void;
  /** As for a process that was suspended: the time has passed, and whatever fell due meanwhile fires once, now. */
  leap(durationMs: number): void;
  /** Resolves once something has been scheduled to happen in exactly `delayMs`. */
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
        // One that fired before it may have cancelled it.
        if (timers.delete(timer)) timer.fire();
      }
    },
    whenScheduled(delayMs) {
      if ([...timers].some((timer) => timer.delayMs === delayMs)) return Promise.resolve();
      return new Promise((resolve) => waiters.push({ delayMs, resolve }));
    },
  };
}
