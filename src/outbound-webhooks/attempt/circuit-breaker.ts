import { jittered } from './attempt-schedule.ts';

/** Failures in a row after which an endpoint gets at most one attempt per probe interval. */
const BREAKER_FAILURES = 10;

const PROBE_MS_MIN = 10_000;
const PROBE_MS_MAX = 5 * 60_000;
const DOWN_AFTER_MS = 5 * 60_000;
const DISABLE_AFTER_MS = 5 * 24 * 60 * 60_000;

/** Returns true if the breaker is open: the endpoint is only probed, and its other deliveries wait without using up attempts. */
export function isOpen(failuresInRow: number): boolean {
  return failuresInRow >= BREAKER_FAILURES;
}

/** Returns the wait in ms between two probes: it doubles from 10 seconds to 5 minutes. `random` is in [0, 1). */
export function probeIntervalMs(failuresInRow: number, random: number): number {
  const doublings = Math.max(0, failuresInRow - BREAKER_FAILURES);
  return jittered(Math.min(PROBE_MS_MIN * 2 ** doublings, PROBE_MS_MAX), random);
}

/**
 * Recent health of an endpoint: failures in a row, and the time of the first (epoch ms). A refused delivery is no failure: the endpoint
 * is alive.
 */
export interface Health {
  failuresInRow: number;
  failingSinceMs: number | null;
}

/** Returns true if every attempt has failed for at least 5 minutes. Once such an endpoint recovers, its retries become due at once. */
export function hasBeenDown({ failuresInRow, failingSinceMs }: Health, nowMs: number): boolean {
  return isOpen(failuresInRow) && failingSinceMs !== null && nowMs - failingSinceMs >= DOWN_AFTER_MS;
}

/** Returns true if every attempt has failed for at least 5 days, so that the endpoint is to be disabled. */
export function hasFailedTooLong({ failuresInRow, failingSinceMs }: Health, nowMs: number): boolean {
  return isOpen(failuresInRow) && failingSinceMs !== null && nowMs - failingSinceMs >= DISABLE_AFTER_MS;
}
