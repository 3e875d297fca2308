import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { sha256 } from '../../core/digest.ts';
import { AppError } from '../../core/errors.ts';
import { mapNow, type Now } from '../../core/now.ts';
import type { Clock } from '../../core/time/clock.ts';
import { forbidden } from './key-limits.ts';
import { FIRST_ADMIN, type FindOperator, type Operator } from './operator.ts';
import { hasRole, type OperatorRole } from './scopes.ts';
import type { SessionOwner } from './session-cookie.ts';
import type { SignInLimit } from './sign-in-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    operator: Operator | null;
  }
}

/** Recognizes the operators of requests. */
export interface OperatorCheck {
  /** Returns the operator of a request's token or session; undefined if it has neither. Synchronous if possible. Raises FORBIDDEN. */
  find(request: FastifyRequest): Now<Operator | undefined>;
  /** Returns the answer to a request without an operator, and counts it against its address if it had a token. */
  refusalOf(request: FastifyRequest): AppError;
}

/**
 * Creates the check of operators. ADMIN_TOKEN is compared before anything else: it works without the database, and whatever others have
 * tried from its address. A session counts only without an Authorization header.
 */
export function createOperatorCheck(deps: {
  adminToken: string;
  findOperator: FindOperator;
  /** Returns the owner of a request's session; undefined without one. Raises FORBIDDEN. */
  sessionOf: (request: FastifyRequest) => Now<SessionOwner | undefined>;
  signInLimit: SignInLimit;
  clock: Clock;
}): OperatorCheck {
  const expected = sha256(deps.adminToken);
  return {
    find(request) {
      if (request.headers.authorization === undefined) {
        return mapNow(deps.sessionOf(request), (owner) =>
          owner !== undefined && 'operator' in owner ? owner.operator : undefined,
        );
      }
      const token = tokenOf(request);
      if (token === undefined) return undefined;
      return timingSafeEqual(sha256(token), expected) ? FIRST_ADMIN : deps.findOperator(token);
    },
    refusalOf(request) {
      // A request without a token is no attempt to guess one.
      const isGuess = tokenOf(request) !== undefined;
      const retryAfterSeconds = isGuess ? deps.signInLimit.failed(request.ip, deps.clock.monotonicMs()) : 0;
      if (retryAfterSeconds > 0) return tooManySignIns(retryAfterSeconds);
      return new AppError(
        'UNAUTHORIZED',
        'The admin API needs "Authorization: Bearer <token>": ADMIN_TOKEN, or the token of an operator.',
      );
    },
  };
}

/** Returns a maker of hooks, which accept only operators with at least the given role and store them on the request. */
export function requireOperator({ find, refusalOf }: OperatorCheck): (needed: OperatorRole) => onRequestHookHandler {
  return (needed) => (request, _reply, done) => {
    const judge = (operator: Operator | undefined) => {
      if (operator === undefined) return done(refusalOf(request));
      request.operator = operator;
      if (hasRole(operator.role, needed)) return done();
      done(forbidden(`This operation needs the role "${needed}"; yours is "${operator.role}".`));
    };
    try {
      const found = find(request);
      if (found instanceof Promise) found.then(judge).catch(done);
      else judge(found);
    } catch (error) {
      done(error as Error);
    }
  };
}

/** Returns the operator of a request behind `requireOperator`. */
export function operatorOf(request: FastifyRequest): Operator {
  if (request.operator === null) throw new Error('route registered without requireOperator');
  return request.operator;
}

export function tooManySignIns(retryAfterSeconds: number): AppError {
  return new AppError('RATE_LIMITED', 'Too many failed sign-ins from this address.', { retryAfterSeconds });
}

function tokenOf({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}
