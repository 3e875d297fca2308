import type { BlockList } from 'node:net';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { AppError } from '../../core/errors.ts';
import { type Caller, callerOf } from './bearer.ts';
import type { RouteRow } from './guard-routes.ts';
import type { Operator } from './operator.ts';
import { bitsOf, type Scope } from './scopes.ts';

/** Look-ups for keys that are limited to numbers. */
export interface NumberLookups {
  /** Returns true if the organization has the number now. */
  hasNumber(organizationId: string, phoneNumberId: string): Promise<boolean>;
  /** Returns the number of an organization's message; undefined for an unknown or malformed id. */
  numberOfMessage(organizationId: string, messageId: string): Promise<string | undefined>;
  /** Returns the error for a number that the organization does not have. */
  numberNotFound(): AppError;
}

/**
 * Returns a hook that accepts keys whose limits permit a route. A key without limits passes by one comparison. Expects
 * `Callers.require` before it. Raises FORBIDDEN, and ACCOUNT_NOT_FOUND for a number that is not the organization's.
 */
export function requirePermission(
  row: RouteRow & { caller: 'organization' },
  lookups: NumberLookups,
): onRequestHookHandler {
  const bit = row.needs === 'nothing' ? 0 : bitsOf([row.needs]);
  return (request, _reply, done) => {
    const caller = callerOf(request);
    const { limits } = caller;
    if (limits === null) return done();
    if (limits.sources !== null && !isAmong(limits.sources, request.ip)) {
      return done(forbidden(`This API key may not be used from ${request.ip}, the address that the gateway sees.`));
    }
    if (limits.scopes !== null && (limits.scopes & bit) !== bit) {
      return done(request.operator === null ? lacking(row.needs) : roleLacking(request.operator, row.needs));
    }
    if (limits.phoneNumberIds === null) return done();
    checkNumber(request, caller, row, lookups).then(() => done(), done);
  };
}

/** Raises FORBIDDEN if the key is limited to numbers and may not use this one, which is the organization's. */
export function checkOwnNumber({ limits }: Pick<Caller, 'limits'>, phoneNumberId: string): void {
  if (limits?.phoneNumberIds?.has(phoneNumberId) === false) {
    throw forbidden(`This API key is limited to other numbers than ${phoneNumberId}.`);
  }
}

/** Raises FORBIDDEN if the key lacks a scope that an operation needs because of the object it is about. */
export function checkScope({ limits }: Pick<Caller, 'limits'>, scope: Scope): void {
  if (limits !== null && limits.scopes !== null && (limits.scopes & bitsOf([scope])) === 0) throw lacking(scope);
}

async function checkNumber(
  request: FastifyRequest,
  caller: Caller,
  { numbers }: RouteRow & { caller: 'organization' },
  lookups: NumberLookups,
): Promise<void> {
  const { organizationId } = caller;
  const parameters = request.params as Record<string, string>;
  if (numbers === 'filtered') return;
  if (numbers === 'path') {
    const { phoneNumberId = '' } = parameters;
    if (caller.limits?.phoneNumberIds?.has(phoneNumberId)) return;
    if (!(await lookups.hasNumber(organizationId, phoneNumberId))) throw lookups.numberNotFound();
    return checkOwnNumber(caller, phoneNumberId);
  }
  if (numbers === 'message') {
    const phoneNumberId = await lookups.numberOfMessage(organizationId, parameters.id ?? '');
    // The route itself answers an unknown id.
    if (phoneNumberId !== undefined) checkOwnNumber(caller, phoneNumberId);
    return;
  }
  throw forbidden('This API key is limited to numbers, and this operation is not about one number.');
}

function lacking(scope: string): AppError {
  return forbidden(`This API key lacks the scope "${scope}".`);
}

function roleLacking({ role }: Operator, scope: string): AppError {
  return forbidden(`The role "${role}" only reads: this operation needs the scope "${scope}".`);
}

function isAmong(sources: BlockList, address: string): boolean {
  return sources.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}

export function forbidden(message: string): AppError {
  return new AppError('FORBIDDEN', message);
}
