/**
 * A token bucket that holds a second's worth, kept as one time: when it will be full again. A time that has passed says that it
 * is full, and may be forgotten.
 */
export interface TokenBucket {
  /** Whole tokens in it now. */
  left: number;
  /** Milliseconds until it holds a token; 0 when it does. */
  waitMs: number;
}

/** What a bucket of `perSecond` tokens holds at `nowMs`; undefined stands for a full one. */
export function readBucket(fullAtMs: number | undefined, perSecond: number, nowMs: number): TokenBucket {
  const missing = (Math.max(0, (fullAtMs ?? nowMs) - nowMs) * perSecond) / 1000;
  // Rounding must not take away a token that is there.
  const held = perSecond - missing + 1e-9;
  return { left: Math.max(0, Math.floor(held)), waitMs: held >= 1 ? 0 : ((1 - held) * 1000) / perSecond };
}

/** When the bucket will be full again after one token more was taken out of it. */
export function takeToken(fullAtMs: number | undefined, perSecond: number, nowMs: number): number {
  return Math.max(fullAtMs ?? nowMs, nowMs) + 1000 / perSecond;
}
