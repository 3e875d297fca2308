import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { AppError } from '../../core/errors.ts';
import { type ApiKeys, type Caller, type KeyLimits, requireApiKey } from './bearer.ts';
import { credentialOf } from './credential.ts';
import { forbidden } from './key-limits.ts';
import type { Operator } from './operator.ts';
import type { OperatorCheck } from './operator-token.ts';
import { bitsOf, type Scope } from './scopes.ts';
import type { SessionOwner } from './session-cookie.ts';
import { OPERATOR_TOKEN_PREFIX } from './token-format.ts';

/** Header in which an operator names the organization to act for. */
const ORGANIZATION = 'fairway-organization';
/** Scopes of an operator who only reads. */
const READS: readonly Scope[] = ['messages:read', 'templates:read', 'events:read', 'number:read'];
const READ_LIMITS: KeyLimits = {
  scopes: bitsOf(READS),
  phoneNumberIds: null,
  sources: null,
  expiresAtMs: null,
  messagesPerMinute: null,
};

interface CallersDeps {
  keyring: ApiKeys;
  operators: OperatorCheck;
  /** Returns the owner of a request's session; undefined without one. Raises FORBIDDEN. */
  sessionOf: (request: FastifyRequest) => SessionOwner | undefined | Promise<SessionOwner | undefined>;
  /** Returns true if the id is an organization's. */
  hasOrganization: (organizationId: string) => Promise<boolean>;
}

/** Finds the callers of the API for organizations. */
export interface Callers {
  /** Hook that accepts only callers with an organization and stores the caller on the request. */
  require: onRequestHookHandler;
  /** Finds the caller of a request once more, after a wait in which a key may have been disabled. Raises UNAUTHORIZED. */
  authenticate(request: FastifyRequest): Promise<Caller>;
}

/**
 * Creates the check of callers (api-rules#keys). A caller is an API key, the owner of a session, or an operator who names an organization
 * in a header. Requests with an API key alone, all but a few, take the way of `requireApiKey`.
 */
export function createCallers({ keyring, operators, sessionOf, hasOrganization }: CallersDeps): Callers {
  const requireKey = requireApiKey(keyring);

  const identify = async (request: FastifyRequest): Promise<Caller> => {
    const { authorization } = request.headers;
    const organizationId = request.headers[ORGANIZATION];
    if (authorization === undefined) {
      const owner = await sessionOf(request);
      if (owner !== undefined && 'caller' in owner) return asKey(owner.caller, organizationId);
    }
    const operator = await operators.find(request);
    if (operator === undefined) {
      const caller = await findKey(request);
      return asKey(caller, organizationId);
    }
    if (typeof organizationId !== 'string') {
      throw forbidden('An operator names the organization to act for in the header "Fairway-Organization".');
    }
    if (!(await hasOrganization(organizationId))) throw forbidden('There is no organization with this id to act for.');
    request.operator = operator;
    return actingCaller(operator, organizationId.toLowerCase());
  };

  /** Counts a failure against its address: without this, ADMIN_TOKEN could be guessed at here without a limit. */
  const findKey = async (request: FastifyRequest): Promise<Caller> => {
    try {
      return await keyring.authenticate(credentialOf(request));
    } catch (error) {
      const refusal = error instanceof AppError && error.code === 'UNAUTHORIZED' && operators.refusalOf(request);
      throw refusal && refusal.code === 'RATE_LIMITED' ? refusal : error;
    }
  };

  const asKey = (caller: Caller, organizationId: unknown): Caller => {
    if (organizationId !== undefined) {
      throw forbidden('The header "Fairway-Organization" is for operators: an API key belongs to its organization.');
    }
    keyring.used(caller);
    return caller;
  };

  return {
    require(request, reply, done) {
      if (hasKeyAlone(request)) return requireKey.call(this, request, reply, done);
      identify(request).then((caller) => {
        request.caller = caller;
        done();
      }, done);
    },
    async authenticate(request) {
      return hasKeyAlone(request) ? keyring.authenticate(credentialOf(request)) : identify(request);
    },
  };
}

/** True for a request that only an API key can open, and for one without any credentials. */
function hasKeyAlone({ headers }: FastifyRequest): boolean {
  if (headers[ORGANIZATION] !== undefined) return false;
  return headers.authorization === undefined
    ? headers.cookie === undefined
    : !headers.authorization.includes(OPERATOR_TOKEN_PREFIX);
}

function actingCaller({ role }: Operator, organizationId: string): Caller {
  return { organizationId, apiKeyId: null, keyNumber: 0, limits: role === 'support' ? READ_LIMITS : null };
}
