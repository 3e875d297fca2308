import type { Platform } from '../platform.ts';

/** Counts a management call and returns its `X-App-Usage` and `X-Business-Use-Case-Usage` headers. */
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
