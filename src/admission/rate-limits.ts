import { bucketLimit, type RateLimit } from '../core/limits/rate-limit.ts';
import { RateMeter } from '../core/limits/rate-meter.ts';
import { mapNow } from '../core/now.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Caller, CheckRate, RateVerdict } from '../http/index.ts';
import type { Plan, Plans } from '../organizations/index.ts';
import type { SharedRequests } from './shared-requests.ts';

interface Limit {
  name: 'organization' | 'key' | 'key_messages';
  party: string;
  quota: number;
  windowSeconds: number;
  /** A window's worth at once. */
  rate: RateLimit;
}

/**
 * Counts each request against the plan's limits for its organization and its key, and a send also against the key's own limit. A refused
 * request counts against none. Buckets are in memory per node, so several nodes together allow that many times the limit. Workers of one
 * machine count each other's requests a moment later (`shared`), so together they allow the limit.
 */
export function createRateLimits(deps: { plans: Plans; clock: Clock; shared?: SharedRequests | undefined }): CheckRate {
  const { plans, clock, shared } = deps;
  const meter = new RateMeter();
  shared?.follow((requests) => {
    const nowMs = clock.monotonicMs();
    for (const { party, intervalMs, count } of requests) meter.charge(party, bucketLimit(intervalMs, 1), nowMs, count);
  });

  const judge = (limits: Limit[]): RateVerdict | undefined => {
    if (limits.length === 0) return undefined;
    const nowMs = clock.monotonicMs();
    const waits = limits.map(({ party, rate }) => meter.waitMs(party, rate, nowMs));
    const waitMs = Math.max(...waits);
    if (waitMs === 0) {
      for (const { party, rate } of limits) {
        meter.charge(party, rate, nowMs);
        shared?.admitted(party, rate.intervalMs);
      }
    }
    const exceeded = waitMs === 0 ? undefined : limits[waits.indexOf(waitMs)];
    return {
      exceeded: exceeded && wordsOf(exceeded),
      retryAfterSeconds: waitMs / 1000,
      policy: limits.map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`).join(', '),
      limit: limits
        .map(({ name, party, rate }) => {
          const wholeInSeconds = Math.max(1, Math.ceil(meter.debtMs(party, nowMs) / 1000));
          return `"${name}";r=${meter.left(party, rate, nowMs)};t=${wholeInSeconds}`;
        })
        .join(', '),
    };
  };

  return (caller, isSend) => mapNow(plans.get(caller.organizationId), (plan) => judge(limitsOf(caller, plan, isSend)));
}

/** Returns the limits of a caller. An operator has none, and uses up none of the organization's. */
function limitsOf({ organizationId, apiKeyId, limits }: Caller, plan: Plan, isSend: boolean): Limit[] {
  if (apiKeyId === null) return [];
  return [
    ...limitOf('organization', organizationId, plan.requestsPerSecond, 1),
    ...limitOf('key', apiKeyId, plan.keyRequestsPerSecond, 1),
    ...limitOf('key_messages', `${apiKeyId} messages`, isSend ? (limits?.messagesPerMinute ?? null) : null, 60),
  ];
}

function limitOf(name: Limit['name'], party: string, quota: number | null, windowSeconds: number): Limit[] {
  if (quota === null) return [];
  return [{ name, party, quota, windowSeconds, rate: bucketLimit((windowSeconds * 1000) / quota, quota) }];
}

function wordsOf({ name, quota }: Limit): string {
  switch (name) {
    case 'organization':
      return `The organization makes more requests than the ${quota} a second of its plan.`;
    case 'key':
      return `This API key makes more requests than the ${quota} a second that the plan allows each key.`;
    case 'key_messages':
      return `This API key may send ${quota} messages a minute.`;
  }
}
