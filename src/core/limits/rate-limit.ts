/**
 * The generic cell rate algorithm: a rate limit stored as a single time, the theoretical arrival time (TAT) of the next message at an even
 * pace. A message may go up to `toleranceMs` ahead of it, which permits a burst: a bucket of n messages has a tolerance of n - 1 intervals.
 * A TAT in the past or present restricts nothing and may be forgotten.
 */
export interface RateLimit {
  readonly intervalMs: number;
  readonly toleranceMs: number;
}

/** Returns the limit of a bucket that holds `burst` messages and regains one every `intervalMs`. */
export function bucketLimit(intervalMs: number, burst: number): RateLimit {
  return { intervalMs, toleranceMs: (burst - 1) * intervalMs };
}

/** Returns when the limit permits the next message; a time in the past means now. */
export function readyAtMs(limit: RateLimit, tatMs: number): number {
  return tatMs - limit.toleranceMs;
}

/** Returns the TAT after `count` messages at `nowMs`. */
export function chargedTatMs(limit: RateLimit, tatMs: number, nowMs: number, count: number): number {
  return Math.max(tatMs, nowMs) + count * limit.intervalMs;
}

/** Returns how many messages the limit permits at once at `nowMs`. */
export function permittedCount(limit: RateLimit, tatMs: number, nowMs: number): number {
  const aheadMs = Math.max(0, tatMs - nowMs);
  // Rounding must not hide a message that is permitted.
  return Math.max(0, Math.floor((limit.toleranceMs - aheadMs) / limit.intervalMs + 1 + 1e-9));
}
