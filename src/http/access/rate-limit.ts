import type { onRequestHookHandler } from 'fastify';
import { AppError } from '../../core/errors.ts';
import { type Caller, callerOf } from './bearer.ts';

/** Verdict about a caller's rate limits, with the two fields of the IETF's RateLimit draft. */
export interface RateVerdict {
  /** The limit that the request exceeds, in words; undefined if it is allowed. */
  exceeded: string | undefined;
  /** Seconds until a request is allowed again; 0 if it is allowed now. */
  retryAfterSeconds: number;
  policy: string;
  limit: string;
}

/** Judges and counts one request; undefined for a caller without limits. Synchronous if possible. */
export type CheckRate = (caller: Caller, isSend: boolean) => RateVerdict | undefined | Promise<RateVerdict | undefined>;

/**
 * Returns a hook that accepts callers within their rate limits and reports these in headers. Expects `Callers.require` before it. `isSend` is
 * true for the route whose requests are messages.
 */
export function limitRate(check: CheckRate, isSend: boolean): onRequestHookHandler {
  return (request, reply, done) => {
    const judge = (verdict: RateVerdict | undefined) => {
      if (verdict === undefined) return done();
      const { exceeded, retryAfterSeconds, policy, limit } = verdict;
      reply.header('ratelimit-policy', policy).header('ratelimit', limit);
      done(exceeded === undefined ? undefined : new AppError('RATE_LIMITED', exceeded, { retryAfterSeconds }));
    };
    const verdict = check(callerOf(request), isSend);
    if (verdict instanceof Promise) verdict.then(judge, done);
    else judge(verdict);
  };
}
