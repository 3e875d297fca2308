const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits before the attempts of one delivery, the first included: twelve over a little more than four days. */
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

/** `ms` give or take a fifth, so that what failed together does not come back together. `random` is in [0, 1). */
export function jittered(ms: number, random: number): number {
  return ms * (1 - JITTER + 2 * JITTER * random);
}

/** No retry is put off for longer, nodes' clocks considered: one that was, was noted by a clock that was set back since. */
export const RETRY_MS_MAX = jittered(Math.max(...ATTEMPT_DELAYS_MS), 1) + HOUR_MS;

/** How long to wait after `attempts` attempts have failed; undefined when that was the last one. */
export function delayAfter(attempts: number, random: number): number | undefined {
  const delayMs = ATTEMPT_DELAYS_MS[attempts];
  return delayMs === undefined ? undefined : jittered(delayMs, random);
}
