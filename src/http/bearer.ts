import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { sha256 } from '../core/digest.ts';
import { AppError } from '../core/errors.ts';

/** Who is calling: the organization an API key belongs to, and the key. */
export interface Caller {
  organizationId: string;
  apiKeyId: string;
  keyNumber: number;
}

/** Finds the caller of an `Authorization` header; throws UNAUTHORIZED. Synchronous when it can be. */
export type Authenticate = (authorization: string | undefined) => Caller | Promise<Caller>;

/** The API keys there are, as far as this process knows. */
export interface ApiKeys {
  authenticate: Authenticate;
  /** How many times changes of keys were heard of: while it stays the same, whoever was let in would be let in again. */
  readonly changesHeard: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    /** `changesHeard` when its key was looked at. */
    keySeenAt: number | null;
  }
}

/** Whom a connection's last request was from. */
interface LetIn {
  authorization: string | undefined;
  caller: Caller;
  /** `changesHeard` when its key was looked at. */
  seenAt: number;
}

/**
 * A hook that lets only organization keys through and notes whose it was (api-rules#keys). Registered once more for a later moment of a
 * request, it looks at the key again if keys have changed since. Who repeats on a connection what was let in there, as clients do with
 * every request, is known by that: to look a key up, it has to be hashed.
 */
export function requireApiKey(keys: ApiKeys): onRequestHookHandler {
  const lastLetIn = new WeakMap<Socket, LetIn>();
  return (request, _reply, done) => {
    const seenAt = keys.changesHeard;
    if (request.keySeenAt === seenAt) return done();
    request.keySeenAt = seenAt;
    const { authorization } = request.headers;
    const { socket } = request.raw;
    const last = lastLetIn.get(socket);
    if (last?.seenAt === seenAt && last.authorization === authorization) {
      request.caller = last.caller;
      return done();
    }
    const letIn = (caller: Caller) => {
      lastLetIn.set(socket, { authorization, caller, seenAt });
      request.caller = caller;
      done();
    };
    try {
      const caller = keys.authenticate(authorization);
      if (caller instanceof Promise) caller.then(letIn, done);
      else letIn(caller);
    } catch (error) {
      done(error as Error);
    }
  };
}

/** A hook that lets only the operator's token through. */
export function requireAdminToken(adminToken: string): onRequestHookHandler {
  const expected = sha256(adminToken);
  return (request, _reply, done) => {
    const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const granted = token !== undefined && timingSafeEqual(sha256(token), expected);
    done(
      granted ? undefined : new AppError('UNAUTHORIZED', 'The admin API needs "Authorization: Bearer <ADMIN_TOKEN>".'),
    );
  };
}

/** The caller of a request behind `requireApiKey`. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('route registered without requireApiKey');
  return request.caller;
}
