import type { Platform } from '../platform.ts';

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
