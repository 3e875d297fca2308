import type { onRequestHookHandler } from 'fastify';
import { AppError } from '../../core/errors.ts';
import { type Caller, callerOf } from './bearer.ts';

/** Verdict about a caller's rate limits, with the two fields of the IETF's RateLimit draft. */
export interface RateVerdict {
  allowed: boolean;
  /** Seconds until a request is allowed again; 0 if it is allowed now. */
  retryAfterSeconds: number;
  policy: string;
  limit: string;
}

/** Judges and counts one request; undefined for a caller without limits. Synchronous if possible. */
export type CheckRate = (caller: Caller) => RateVerdict | undefined | Promise<RateVerdict | undefined>;

/** Returns a hook that accepts callers within their rate limits and reports these in headers. Expects `Callers.require` before it. */
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
