import type { onRequestHookHandler } from 'fastify';
import { AppError } from '../core/errors.ts';
import { type Caller, callerOf } from './bearer.ts';

/** Whether a caller is within its rate limits, and where it stands: the two fields of the IETF's RateLimit draft. */
export interface RateVerdict {
  allowed: boolean;
  /** Until a request is allowed again; 0 when it is. */
  retryAfterSeconds: number;
  policy: string;
  limit: string;
}

/** Judges and counts one request; undefined for a caller without limits. Synchronous when it can be. */
export type CheckRate = (caller: Caller) => RateVerdict | undefined | Promise<RateVerdict | undefined>;

/** A hook that lets callers through within their rate limits and tells them of these. Expects `requireApiKey` before it. */
export function limitRate(check: CheckRate): onRequestHookHandler {
  return (request, reply, done) => {
    const judge = (verdict: RateVerdict | undefined) => {
      if (verdict === undefined) return done();
      reply.header('ratelimit-policy', verdict.policy).header('ratelimit', verdict.limit);
      if (verdict.allowed) return done();
      const { retryAfterSeconds } = verdict;
      done(new AppError('RATE_LIMITED', 'More requests a second than the plan allows.', { retryAfterSeconds }));
    };
    const verdict = check(callerOf(request));
    if (verdict instanceof Promise) verdict.then(judge, done);
    else judge(verdict);
  };
}
