import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { sha256 } from '../../core/digest.ts';
import { AppError } from '../../core/errors.ts';
import { mapNow, type Now } from '../../core/now.ts';
import type { Clock } from '../../core/time/clock.ts';
import { forbidden } from './key-limits.ts';
import { hasRole, type OperatorRole } from './scopes.ts';
import { SignInLimit } from './sign-in-limit.ts';

/** A caller of the admin API. */
export interface Operator {
  /** `null` for the holder of ADMIN_TOKEN. */
  id: string | null;
  name: string;
  role: OperatorRole;
  expiresAt: Date | null;
}

/** Returns the operator with this token; undefined for an unknown, expired or revoked token. Synchronous if possible. */
export type FindOperator = (token: string) => Now<Operator | undefined>;

declare module 'fastify' {
  interface FastifyRequest {
    operator: Operator | null;
  }
}

const FIRST_ADMIN: Operator = { id: null, name: 'ADMIN_TOKEN', role: 'admin', expiresAt: null };

/**
 * Returns a maker of hooks, which accept only operators with at least the given role and store them on the request. ADMIN_TOKEN is
 * compared before anything else: it works without the database, and whatever others have tried from its address.
 */
export function operatorChecks(deps: {
  adminToken: string;
  findOperator: FindOperator;
  clock: Clock;
}): (needed: OperatorRole) => onRequestHookHandler {
  const expected = sha256(deps.adminToken);
  const limit = new SignInLimit();

  const refusalOf = (request: FastifyRequest, token: string | undefined): AppError => {
    // A request without a token is no attempt to guess one.
    const waitSeconds = token === undefined ? 0 : limit.failed(request.ip, deps.clock.monotonicMs());
    return waitSeconds === 0
      ? new AppError(
          'UNAUTHORIZED',
          'The admin API needs "Authorization: Bearer <token>": ADMIN_TOKEN, or the token of an operator.',
        )
      : new AppError('RATE_LIMITED', 'Too many failed sign-ins from this address.', { retryAfterSeconds: waitSeconds });
  };

  return (needed) => (request, _reply, done) => {
    const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const judge = (operator: Operator | undefined) => {
      if (operator === undefined) return done(refusalOf(request, token));
      request.operator = operator;
      if (hasRole(operator.role, needed)) return done();
      done(forbidden(`This operation needs the role "${needed}"; yours is "${operator.role}".`));
    };
    if (token === undefined) return judge(undefined);
    if (timingSafeEqual(sha256(token), expected)) return judge(FIRST_ADMIN);
    const found = mapNow(deps.findOperator(token), judge);
    if (found instanceof Promise) found.catch(done);
  };
}

/** Returns the operator of a request behind `operatorChecks`. */
export function operatorOf(request: FastifyRequest): Operator {
  if (request.operator === null) throw new Error('route registered without operatorChecks');
  return request.operator;
}
