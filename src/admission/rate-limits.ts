import { mapNow } from '../core/now.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Caller, CheckRate, RateVerdict } from '../http/index.ts';
import type { Plan, Plans } from '../organizations/index.ts';
import { readBucket, takeToken } from './token-bucket.ts';

interface Limit {
  name: 'organization' | 'key';
  bucket: string;
  perSecond: number;
}

const BUCKETS_SWEPT_AT = 10_000;

/**
 * Counts each request against the plan's limits for its organization and its key; a refused request counts against neither. Buckets are in
 * memory per node, so several nodes together allow that many times the limit.
 */
export function createRateLimits(deps: { plans: Plans; clock: Clock }): CheckRate {
  const { plans, clock } = deps;
  const fullAtMs = new Map<string, number>();
  let sweepAt = BUCKETS_SWEPT_AT;

  const forgetFull = (nowMs: number) => {
    if (fullAtMs.size < sweepAt) return;
    for (const [bucket, atMs] of fullAtMs) if (atMs <= nowMs) fullAtMs.delete(bucket);
    sweepAt = Math.max(BUCKETS_SWEPT_AT, fullAtMs.size * 2);
  };

  const judge = (limits: Limit[]): RateVerdict | undefined => {
    if (limits.length === 0) return undefined;
    const nowMs = clock.monotonicMs();
    const read = () =>
      limits.map((limit) => ({ ...limit, ...readBucket(fullAtMs.get(limit.bucket), limit.perSecond, nowMs) }));
    const waitMs = Math.max(...read().map((state) => state.waitMs));
    if (waitMs === 0) {
      forgetFull(nowMs);
      for (const { bucket, perSecond } of limits) {
        fullAtMs.set(bucket, takeToken(fullAtMs.get(bucket), perSecond, nowMs));
      }
    }
    return {
      allowed: waitMs === 0,
      retryAfterSeconds: waitMs / 1000,
      policy: limits.map(({ name, perSecond }) => `"${name}";q=${perSecond};w=1`).join(', '),
      limit: read()
        .map(({ name, left }) => `"${name}";r=${left};t=1`)
        .join(', '),
    };
  };

  return (caller) => mapNow(plans.get(caller.organizationId), (plan) => judge(limitsOf(caller, plan)));
}

function limitsOf(caller: Caller, plan: Plan): Limit[] {
  const limits: Limit[] = [];
  if (plan.requestsPerSecond !== null) {
    limits.push({ name: 'organization', bucket: caller.organizationId, perSecond: plan.requestsPerSecond });
  }
  if (plan.keyRequestsPerSecond !== null) {
    limits.push({ name: 'key', bucket: caller.apiKeyId, perSecond: plan.keyRequestsPerSecond });
  }
  return limits;
}
