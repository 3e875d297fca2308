import assert from 'node:assert/strict';

/** In no second were more than `perSecondMax` messages sent. Times in order. */
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

/** A bucket of `burst` tokens, one back per `intervalMs`, was never overdrawn. Times in order. */
export function assertTokenBucket(timesMs: readonly number[], intervalMs: number, burst: number, what: string): void {
  let tokens = burst;
  let sinceMs = timesMs[0] ?? 0;
  for (const timeMs of timesMs) {
    tokens = Math.min(burst, tokens + (timeMs - sinceMs) / intervalMs);
    sinceMs = timeMs;
    // Rounding of sums of intervals, not a message's worth.
    assert.ok(tokens >= 1 - 1e-6, `${what}: ${tokens} tokens left at ${timeMs}`);
    tokens -= 1;
  }
}
