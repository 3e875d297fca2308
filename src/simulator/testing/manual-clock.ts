import type { Clock } from '../../core/clock.ts';

/** A clock that moves only when told to. */
export interface ManualClock extends Clock {
  /** Moves time forward and fires what is due on the way, in order. */
  advance(byMs: number): void;
  /** Resolves once something has been scheduled to happen in exactly `delayMs`. */
  whenScheduled(delayMs: number): Promise<void>;
}

interface Timer {
  dueMs: number;
  delayMs: number;
  fire: () => void;
}

export function createManualClock(startMs = Date.UTC(2026, 10, 1)): ManualClock {
  let nowMs = startMs;
  const timers = new Set<Timer>();
  let waiters: { delayMs: number; resolve: () => void }[] = [];
  return {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    schedule(delayMs, fire) {
      const timer = { dueMs: nowMs + delayMs, delayMs, fire };
      timers.add(timer);
      for (const waiter of waiters) if (waiter.delayMs === delayMs) waiter.resolve();
      waiters = waiters.filter((waiter) => waiter.delayMs !== delayMs);
      return () => timers.delete(timer);
    },
    advance(byMs) {
      const untilMs = nowMs + byMs;
      for (;;) {
        const [next] = [...timers].filter(({ dueMs }) => dueMs <= untilMs).sort((one, two) => one.dueMs - two.dueMs);
        if (next === undefined) break;
        timers.delete(next);
        nowMs = next.dueMs;
        next.fire();
      }
      nowMs = untilMs;
    },
    whenScheduled(delayMs) {
      if ([...timers].some((timer) => timer.delayMs === delayMs)) return Promise.resolve();
      return new Promise((resolve) => waiters.push({ delayMs, resolve }));
    },
  };
}
