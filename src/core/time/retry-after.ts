/** Longest wait that is respected. */
export const RETRY_AFTER_MS_MAX = 24 * 60 * 60_000;

/** The wait a `Retry-After` header asks for, in ms, from seconds or an HTTP date, at most a day; undefined if it is unusable. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  const waitMs = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), RETRY_AFTER_MS_MAX);
}
