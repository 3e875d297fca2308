const BACKOFF_FIRST_MS = 250;
const BACKOFF_MAX_MS = 8000;
/** Largest share that is added to a `Retry-After`, so that clients which were refused together return apart. */
const JITTER = 0.2;

/** Decides if a request may be repeated after a failure. */
export type Repeatable =
  /** A read, a replacement, a deletion, or a send with a key: a repetition changes nothing more. */
  | 'always'
  /** A repetition could do the work twice: only after a refusal that promises that nothing was stored. */
  | 'if refused'
  /** The body is a stream that is used up. */
  | 'never';

/** True if a request that was answered `status` may be repeated. */
export function isRepeatedAfter(status: number, repeatable: Repeatable): boolean {
  if (repeatable === 'never') return false;
  if (status === 429) return true;
  return repeatable === 'always' && (status === 408 || (status >= 500 && status !== 501));
}

/**
 * Reads a `Retry-After` header: seconds, or an HTTP date. Returns milliseconds from `nowMs`, or null if the header is absent or neither.
 */
export function retryAfterMsOf(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

/**
 * Returns the wait before the next attempt in milliseconds, or null if the server asks for more than `maxMs`.
 * Never shorter than `retryAfterMs`. Without it the wait is random, up to a limit that doubles with each attempt.
 * @param attempt attempts so far, from 1
 * @param random from 0 to 1
 */
export function retryWaitMs(
  retryAfterMs: number | null,
  attempt: number,
  maxMs: number,
  random: number,
): number | null {
  if (retryAfterMs === null) {
    return Math.min(maxMs, BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (attempt - 1)) * (0.5 + random / 2);
  }
  if (retryAfterMs > maxMs) return null;
  return retryAfterMs * (1 + JITTER * random);
}
