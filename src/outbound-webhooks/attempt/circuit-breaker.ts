import { jittered } from './attempt-schedule.ts';

/** Straight failures after which an endpoint is tried no more than once per interval. */
const BREAKER_FAILURES = 10;

const PROBE_MS_MIN = 10_000;
const PROBE_MS_MAX = 5 * 60_000;
const DOWN_AFTER_MS = 5 * 60_000;
const DISABLE_AFTER_MS = 5 * 24 * 60 * 60_000;

/** Whether the breaker is open: the endpoint is only probed, and the rest of its deliveries wait without losing attempts. */
export function isOpen(failuresInRow: number): boolean {
  return failuresInRow >= BREAKER_FAILURES;
}

/** The wait between two probes: doubles from 10 seconds to 5 minutes. `random` is in [0, 1). */
export function probeIntervalMs(failuresInRow: number, random: number): number {
  const doublings = Math.max(0, failuresInRow - BREAKER_FAILURES);
  return jittered(Math.min(PROBE_MS_MIN * 2 ** doublings, PROBE_MS_MAX), random);
}

/** How an endpoint has fared lately: straight failures, and since when (epoch ms). A delivery that it refuses is none: it is alive. */
export interface Health {
  failuresInRow: number;
  failingSinceMs: number | null;
}

/** Whether an endpoint has done nothing but fail for minutes, so that retries need not wait for their time once it is back. */
export function hasBeenDown({ failuresInRow, failingSinceMs }: Health, nowMs: number): boolean {
  return isOpen(failuresInRow) && failingSinceMs !== null && nowMs - failingSinceMs >= DOWN_AFTER_MS;
}

/** Whether an endpoint has done nothing but fail for so long that it is to be disabled. */
export function hasFailedTooLong({ failuresInRow, failingSinceMs }: Health, nowMs: number): boolean {
  return isOpen(failuresInRow) && failingSinceMs !== null && nowMs - failingSinceMs >= DISABLE_AFTER_MS;
}
