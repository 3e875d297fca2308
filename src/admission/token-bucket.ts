/**
 * A token bucket that holds a second's worth of tokens. It is stored as one time: when it will be full again. If that time has passed, the
 * bucket is full and need not be stored.
 */
export interface TokenBucket {
  /** Whole tokens available now. */
  left: number;
  /** Milliseconds until a token is available; 0 if one is. */
  waitMs: number;
}

/** The state at `nowMs` of a bucket of `perSecond` tokens; undefined `fullAtMs` means a full bucket. */
export function readBucket(fullAtMs: number | undefined, perSecond: number, nowMs: number): TokenBucket {
  const missing = (Math.max(0, (fullAtMs ?? nowMs) - nowMs) * perSecond) / 1000;
  // Rounding must not hide an available token.
  const held = perSecond - missing + 1e-9;
  return { left: Math.max(0, Math.floor(held)), waitMs: held >= 1 ? 0 : ((1 - held) * 1000) / perSecond };
}

/** The time when the bucket will be full again after taking one more token. */
export function takeToken(fullAtMs: number | undefined, perSecond: number, nowMs: number): number {
  return Math.max(fullAtMs ?? nowMs, nowMs) + 1000 / perSecond;
}
