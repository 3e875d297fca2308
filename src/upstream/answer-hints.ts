import type { IncomingHttpHeaders } from 'node:http';
import { readRetryAfter } from '../core/retry-after.ts';
import { asObject, type JsonObject, numberField, parseJsonObject } from './json-fields.ts';

/**
 * When throttled call budgets open again, in milliseconds, as `X-App-Usage` and `X-Business-Use-Case-Usage` tell; null when none
 * is throttled, or the headers are not there, which is the normal case.
 */
export function regainMsOf(headers: IncomingHttpHeaders): number | null {
  const app = parseHeader(headers['x-app-usage']);
  const business = parseHeader(headers['x-business-use-case-usage']) ?? {};
  const budgets = [app, ...Object.values(business).flat()].map((budget) => asObject(budget) ?? {});
  const minutes = Math.max(...budgets.map((budget) => numberField(budget, 'estimated_time_to_regain_access') ?? 0));
  return minutes > 0 ? Math.min(minutes * 60_000, waitMsMax) : null;
}

/** The `Retry-After` header in milliseconds from `nowMs` (seconds or an HTTP date, at most a day), or null. */
export function retryAfterMsOf(headers: IncomingHttpHeaders, nowMs: number): number | null {
  return readRetryAfter(headers['retry-after'], nowMs) ?? null;
}

const waitMsMax = 24 * 60 * 60_000;

function parseHeader(value: string | string[] | undefined): JsonObject | null {
  return typeof value === 'string' ? parseJsonObject(value) : null;
}
