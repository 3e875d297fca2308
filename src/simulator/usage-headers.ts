import type { Platform } from './platform.ts';

const CALLS_PER_HOUR = 5000;

/** Counts management calls per account and hour, for the usage headers; nothing is refused because of it. */
export class ManagementUsage {
  readonly #calls = new Map<string, { hour: number; count: number }>();

  /** Counts one call and returns the percentage of the hour's budget used. */
  count(wabaId: string, nowMs: number): number {
    const hour = Math.floor(nowMs / 3_600_000);
    const known = this.#calls.get(wabaId);
    const count = (known?.hour === hour ? known.count : 0) + 1;
    this.#calls.set(wabaId, { hour, count });
    return Math.ceil((count * 100) / CALLS_PER_HOUR);
  }
}

/** `X-App-Usage` and `X-Business-Use-Case-Usage` of a management call; counts it. */
export function usageHeaders(platform: Platform, wabaId: string): Record<string, string> {
  const percent = platform.usage.count(wabaId, platform.clock.now());
  const usage = {
    type: 'whatsapp_business_management',
    call_count: percent,
    total_cputime: percent,
    total_time: percent,
    estimated_time_to_regain_access: 0,
  };
  return {
    'x-app-usage': JSON.stringify({ call_count: percent, total_time: percent, total_cputime: percent }),
    'x-business-use-case-usage': JSON.stringify({ [wabaId]: [usage] }),
  };
}
