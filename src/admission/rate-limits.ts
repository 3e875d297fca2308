import { bucketLimit, type RateLimit } from '../core/limits/rate-limit.ts';
import { RateMeter } from '../core/limits/rate-meter.ts';
import { mapNow } from '../core/now.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Caller, CheckRate, RateVerdict } from '../http/index.ts';
import type { Plan, Plans } from '../organizations/index.ts';

interface Limit {
  name: 'organization' | 'key';
  party: string;
  perSecond: number;
  /** A second's worth at once. */
  rate: RateLimit;
}

/**
 * Counts each request against the plan's limits for its organization and its key; a refused request counts against neither. Buckets are in
 * memory per node, so several nodes together allow that many times the limit.
 */
export function createRateLimits(deps: { plans: Plans; clock: Clock }): CheckRate {
  const { plans, clock } = deps;
  const meter = new RateMeter();

  const judge = (limits: Limit[]): RateVerdict | undefined => {
    if (limits.length === 0) return undefined;
    const nowMs = clock.monotonicMs();
    const waitMs = Math.max(...limits.map(({ party, rate }) => meter.waitMs(party, rate, nowMs)));
    if (waitMs === 0) for (const { party, rate } of limits) meter.charge(party, rate, nowMs);
    return {
      allowed: waitMs === 0,
      retryAfterSeconds: waitMs / 1000,
      policy: limits.map(({ name, perSecond }) => `"${name}";q=${perSecond};w=1`).join(', '),
      limit: limits.map(({ name, party, rate }) => `"${name}";r=${meter.left(party, rate, nowMs)};t=1`).join(', '),
    };
  };

  return (caller) => mapNow(plans.get(caller.organizationId), (plan) => judge(limitsOf(caller, plan)));
}

/** Returns the limits of a caller. An operator has none, and uses up none of the organization's. */
function limitsOf({ organizationId, apiKeyId }: Caller, plan: Plan): Limit[] {
  if (apiKeyId === null) return [];
  return [
    ...limitOf('organization', organizationId, plan.requestsPerSecond),
    ...limitOf('key', apiKeyId, plan.keyRequestsPerSecond),
  ];
}

function limitOf(name: Limit['name'], party: string, perSecond: number | null): Limit[] {
  return perSecond === null ? [] : [{ name, party, perSecond, rate: bucketLimit(1000 / perSecond, perSecond) }];
}
