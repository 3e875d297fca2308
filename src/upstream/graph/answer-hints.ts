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

/** Share of the hourly call budget of an account that is used up, by the platform's own count. */
export interface CallUsage {
  percent: number;
  /** Milliseconds until the budget opens again; 0 while it is open. */
  regainMs: number;
}

/** Returns the highest usage that `X-Business-Use-Case-Usage` reports; null without that header. */
export function usageOf(headers: IncomingHttpHeaders): CallUsage | null {
  const budgets = Object.values(parseHeader(headers['x-business-use-case-usage']) ?? {}).flat();
  if (budgets.length === 0) return null;
  const members = ['call_count', 'total_cputime', 'total_time'];
  const shares = budgets.flatMap((budget) => members.map((member) => numberField(asObject(budget) ?? {}, member) ?? 0));
  return { percent: Math.max(...shares), regainMs: regainMsOf(headers, 'waba') ?? 0 };
}

const waitMsMax = 24 * 60 * 60_000;

function parseHeader(value: string | string[] | undefined): JsonObject | null {
  return typeof value === 'string' ? parseJsonObject(value) : null;
}
