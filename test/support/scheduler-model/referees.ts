import assert from 'node:assert/strict';

/** Asserts that no second contains more than `perSecondMax` sent messages. Times are in order. */
export function assertSlidingCount(timesMs: readonly number[], perSecondMax: number, what: string): void {
  let first = 0;
  for (const [last, timeMs] of timesMs.entries()) {
    while (timeMs - (timesMs[first] ?? timeMs) >= 1000) first += 1;
    const count = last - first + 1;
    assert.ok(
      count <= perSecondMax,
      `${what}: ${count} messages within a second at ${timeMs}, allowed ${perSecondMax}`,
    );
  }
}

/** Asserts that a bucket of `burst` tokens, refilled by one per `intervalMs`, was never overdrawn. Times are in order. */
export function assertTokenBucket(timesMs: readonly number[], intervalMs: number, burst: number, what: string): void {
  let tokens = burst;
  let sinceMs = timesMs[0] ?? 0;
  for (const timeMs of timesMs) {
    tokens = Math.min(burst, tokens + (timeMs - sinceMs) / intervalMs);
    sinceMs = timeMs;
    // The tolerance covers rounding of sums of intervals, far below one message.
    assert.ok(tokens >= 1 - 1e-6, `${what}: ${tokens} tokens left at ${timeMs}`);
    tokens -= 1;
  }
}
