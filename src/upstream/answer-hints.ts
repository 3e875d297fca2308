import type { IncomingHttpHeaders } from 'node:http';
import { asObject, type JsonObject, numberField, parseJsonObject } from './json-fields.ts';

/** How full the call budgets are, as the platform's usage headers tell it. */
export interface UsageHint {
  /** The fullest budget, in percent; at 100 the platform throttles. */
  percentMax: number;
  /** When a throttled budget opens again, in milliseconds; 0 when none is throttled. */
  regainMs: number;
}

/** Reads `X-App-Usage` and `X-Business-Use-Case-Usage`; null when neither is there, which is the normal case. */
export function usageHintOf(headers: IncomingHttpHeaders): UsageHint | null {
  const app = headers['x-app-usage'];
  const business = headers['x-business-use-case-usage'];
  if (app === undefined && business === undefined) return null;
  const budgets = [parseHeader(app), ...Object.values(parseHeader(business) ?? {}).flat()].map(asObject);
  const hint: UsageHint = { percentMax: 0, regainMs: 0 };
  for (const budget of budgets) {
    if (budget === null) continue;
    for (const name of ['call_count', 'total_time', 'total_cputime']) {
      hint.percentMax = Math.max(hint.percentMax, numberField(budget, name) ?? 0);
    }
    const regainMinutes = numberField(budget, 'estimated_time_to_regain_access') ?? 0;
    hint.regainMs = Math.max(hint.regainMs, Math.min(regainMinutes * 60_000, waitMsMax));
  }
  return hint;
}

/** The `Retry-After` header in milliseconds from `nowMs` (seconds or an HTTP date, at most a day), or null. */
export function retryAfterMsOf(headers: IncomingHttpHeaders, nowMs: number): number | null {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return null;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isFinite(waitMs) ? Math.min(Math.max(waitMs, 0), waitMsMax) : null;
}

const waitMsMax = 24 * 60 * 60_000;

function parseHeader(value: string | string[] | undefined): JsonObject | null {
  return typeof value === 'string' ? parseJsonObject(value) : null;
}
