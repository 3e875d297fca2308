import type { BlockList, Socket } from 'node:net';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { type Credential, credentialOf } from './credential.ts';

/** Limits of an API key. `null` does not limit. */
export interface KeyLimits {
  /** Bit set of the scopes. */
  scopes: number | null;
  /** The numbers that the key may use, by the platform's id. */
  phoneNumberIds: ReadonlySet<string> | null;
  /** The addresses that the key may be used from. */
  sources: BlockList | null;
  /** Epoch ms from which the key is refused. */
  expiresAtMs: number | null;
  messagesPerMinute: number | null;
}

/** Caller of a request: an API key and the organization it belongs to, or an operator who acts for an organization. */
export interface Caller {
  organizationId: string;
  /** `null` for an operator. */
  apiKeyId: string | null;
  /** 0 for an operator. */
  keyNumber: number;
  /** `null` for a key without any limit. */
  limits: KeyLimits | null;
}

/** API keys, as far as this process knows them. */
export interface ApiKeys {
  /** Finds the caller of the key that a request presents; raises UNAUTHORIZED. Synchronous if possible. */
  authenticate(credential: Credential | undefined): Caller | Promise<Caller>;
  /** Number of key changes this process has heard of. While it stays the same, a key that was accepted would be accepted again. */
  readonly changesHeard: number;
  /** Records that a key was used. */
  used(caller: Caller): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    /** Value of `changesHeard` when the key was checked. */
    keySeenAt: number | null;
  }
}

/** Last accepted caller of a connection. */
interface LetIn {
  authorization: string;
  caller: Caller;
  /** Value of `changesHeard` when the key was checked. */
  seenAt: number;
}

/**
 * Returns a hook that accepts only organization keys and stores the caller on the request (api-rules#keys). Registered again for a later
 * moment of a request, it checks the key again if keys have changed since.
 * A key without limits that was accepted on a connection, in the header, is recognized there without another lookup. Clients repeat it with every request,
 * and a lookup has to hash it. A key with limits may expire.
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
    if (last?.seenAt === seenAt && last.authorization === authorization && last.caller.limits === null) {
      keys.used(last.caller);
      request.caller = last.caller;
      return done();
    }
    const letIn = (caller: Caller) => {
      if (authorization !== undefined) lastLetIn.set(socket, { authorization, caller, seenAt });
      keys.used(caller);
      request.caller = caller;
      done();
    };
    try {
      const caller = keys.authenticate(credentialOf(request));
      if (caller instanceof Promise) caller.then(letIn, done);
      else letIn(caller);
    } catch (error) {
      done(error as Error);
    }
  };
}

/** Returns the API key with which a request behind `Callers.require` came; undefined for a session and for an operator. */
export function keyOf(request: FastifyRequest): string | undefined {
  return callerOf(request).apiKeyId === null ? undefined : credentialOf(request)?.key;
}

/** Returns the caller of a request behind `Callers.require`. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('route registered without a check of callers');
  return request.caller;
}
