const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays in ms before each attempt of one delivery, the first included: twelve attempts over a little more than four days. */
export const ATTEMPT_DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND_MS,
  30 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
  24 * HOUR_MS,
];

const JITTER = 0.2;

/** Returns `ms` plus or minus up to 20 %, so that deliveries that failed together are not retried together. `random` is in [0, 1). */
export function jittered(ms: number, random: number): number {
  return ms * (1 - JITTER + 2 * JITTER * random);
}

/**
 * Upper bound of a retry delay in ms, with one hour for clock differences between nodes. A due time beyond it was written under a clock
 * that was set back since.
 */
export const RETRY_MS_MAX = jittered(Math.max(...ATTEMPT_DELAYS_MS), 1) + HOUR_MS;

/** Returns the delay in ms after `attempts` failed attempts; undefined after the last attempt. */
export function delayAfter(attempts: number, random: number): number | undefined {
  const delayMs = ATTEMPT_DELAYS_MS[attempts];
  return delayMs === undefined ? undefined : jittered(delayMs, random);
}
