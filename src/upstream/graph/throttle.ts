import type { IncomingHttpHeaders } from 'node:http';
import { regainMsOf, retryAfterMsOf } from './answer-hints.ts';
import type { ErrorVerdict } from './errors/error-classes.ts';

/** The platform asks for fewer requests. The refused request is not at fault. */
export interface Throttle {
  kind: 'throttled';
  /** The exact scope to slow down. */
  scope: 'number' | 'pair' | 'waba' | 'app';
  /** Milliseconds in which a retry is pointless; null if the platform did not say. */
  retryAfterMs: number | null;
  code: string;
  /** The platform's own words, if any. */
  message: string | null;
}

/** Returns the throttle that an error means, or null. */
export function findThrottle(
  verdict: ErrorVerdict,
  { code, message }: { code: string; message: string },
  headers: IncomingHttpHeaders,
  nowMs: number,
): Throttle | null {
  const scope = scopeOf(verdict);
  return scope === null ? null : { ...throttleOf(scope, code, headers, nowMs, verdict.waitMs), message };
}

/** Returns a throttle of `scope` with the wait from the headers, or `waitMs` if they give none. */
export function throttleOf(
  scope: Throttle['scope'],
  code: string,
  headers: IncomingHttpHeaders,
  nowMs: number,
  waitMs: number | null = null,
): Throttle {
  // The usage headers describe call budgets, which do not include the limits of numbers and pairs.
  const regainMs = scope === 'waba' || scope === 'app' ? regainMsOf(headers, scope) : null;
  const retryAfterMs = retryAfterMsOf(headers, nowMs) ?? regainMs ?? waitMs;
  return { kind: 'throttled', scope, retryAfterMs, code, message: null };
}

function scopeOf(verdict: ErrorVerdict): Throttle['scope'] | null {
  switch (verdict.class) {
    case 'THROTTLE_NUMBER':
      return 'number';
    case 'THROTTLE_PAIR':
      return 'pair';
    case 'THROTTLE_WABA':
      return 'waba';
    case 'THROTTLE_APP':
      return 'app';
    default:
      // Slows down a number that is temporarily out of order like one that sent too fast: no message is at fault.
      return verdict.parks === 'number' && verdict.waitMs !== null ? 'number' : null;
  }
}
