import type { IncomingHttpHeaders } from 'node:http';
import { regainMsOf, retryAfterMsOf } from './answer-hints.ts';
import type { ErrorVerdict } from './error-classes.ts';

/** The platform wants less of something; what was refused is not at fault. */
export interface Throttle {
  kind: 'throttled';
  /** What to slow down: nothing wider, nothing narrower. */
  scope: 'number' | 'pair' | 'waba' | 'app';
  /** How long trying again is pointless; null when the platform did not say. */
  retryAfterMs: number | null;
  code: string;
  /** The platform's own words, where it has any. */
  message: string | null;
}

/** The throttle an error amounts to, or null when it is none. */
export function findThrottle(
  verdict: ErrorVerdict,
  { code, message }: { code: string; message: string },
  headers: IncomingHttpHeaders,
  nowMs: number,
): Throttle | null {
  const scope = scopeOf(verdict);
  return scope === null ? null : { ...throttleOf(scope, code, headers, nowMs, verdict.waitMs), message };
}

/** A throttle of `scope`, with what the headers say about when to come back; `waitMs` when they say nothing. */
export function throttleOf(
  scope: Throttle['scope'],
  code: string,
  headers: IncomingHttpHeaders,
  nowMs: number,
  waitMs: number | null = null,
): Throttle {
  // The usage headers are about call budgets, which number and pair limits are not part of.
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
      // A number that is out of order for a while is held back like one that was too fast: no message is at fault.
      return verdict.parks === 'number' && verdict.waitMs !== null ? 'number' : null;
  }
}
