import type { IncomingHttpHeaders } from 'node:http';
import { readRetryAfter } from '../../core/time/retry-after.ts';
import { asObject, type JsonObject, numberField, parseJsonObject } from './json-fields.ts';

/**
 * Returns the milliseconds until the throttled call budgets of an account or of the whole app open again, or null if none is throttled.
 * Reads `X-Business-Use-Case-Usage` for an account and `X-App-Usage` for the app; normally the header is absent.
 * The usage of one account says nothing about the app's budget, which all accounts share.
 */
export function regainMsOf(headers: IncomingHttpHeaders, scope: 'waba' | 'app'): number | null {
  const told = parseHeader(headers[scope === 'app' ? 'x-app-usage' : 'x-business-use-case-usage']);
  const budgets = (scope === 'app' ? [told] : Object.values(told ?? {}).flat()).map((budget) => asObject(budget) ?? {});
  const minutes = Math.max(...budgets.map((budget) => numberField(budget, 'estimated_time_to_regain_access') ?? 0));
  return minutes > 0 ? Math.min(minutes * 60_000, waitMsMax) : null;
}

/** Returns the `Retry-After` header in milliseconds from `nowMs` (seconds or an HTTP date, at most a day), or null. */
export function retryAfterMsOf(headers: IncomingHttpHeaders, nowMs: number): number | null {
  return readRetryAfter(headers['retry-after'], nowMs) ?? null;
}

const waitMsMax = 24 * 60 * 60_000;

function parseHeader(value: string | string[] | undefined): JsonObject | null {
  return typeof value === 'string' ? parseJsonObject(value) : null;
}
