/**
 * The generic cell rate algorithm: a rate limit kept as one time, the theoretical arrival time (TAT) of the next message at an
 * even pace. A message may go up to `toleranceMs` ahead of it, which is what a burst is: a bucket of n messages has a tolerance
 * of n - 1 intervals. A TAT that is not in the future says nothing and may be forgotten.
 */
export interface RateLimit {
  readonly intervalMs: number;
  readonly toleranceMs: number;
}

/** The limit of a bucket that holds `burst` messages and gets one back every `intervalMs`. */
export function bucketLimit(intervalMs: number, burst: number): RateLimit {
  return { intervalMs, toleranceMs: (burst - 1) * intervalMs };
}

/** When the limit allows the next message; in the past when it does now. */
export function readyAtMs(limit: RateLimit, tatMs: number): number {
  return tatMs - limit.toleranceMs;
}

/** The TAT after `count` messages at `nowMs`. */
export function chargedTatMs(limit: RateLimit, tatMs: number, nowMs: number, count: number): number {
  return Math.max(tatMs, nowMs) + count * limit.intervalMs;
}
