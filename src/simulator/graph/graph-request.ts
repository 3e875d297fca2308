import { createHmac } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isObject } from '../../core/json/index.ts';
import { pause } from '../../core/run/waiting.ts';
import { appOfToken } from '../apps.ts';
import type { EndpointKind, FaultTarget } from '../control/faults.ts';
import type { Platform } from '../platform.ts';
import { GraphError, invalidParameter } from './graph-errors.ts';
import type { JsonObject } from './json-object.ts';
import type { Reply } from './reply.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The group of this route for faults. */
    simulatedEndpoint?: EndpointKind;
  }
}

/** Returns the id in the path of a request; empty if its route has none. */
export function pathId(request: FastifyRequest): string {
  return (request.params as { id?: string }).id ?? '';
}

/** Returns one query parameter as sent; the first one if repeated. */
export function queryParameter(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, string | string[] | undefined>)[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Returns the caller's token, from the header or the query; empty if absent. Only the given `scheme` counts. */
export function tokenOf(request: FastifyRequest, scheme: 'Bearer' | 'OAuth' = 'Bearer'): string {
  const [given, token] = request.headers.authorization?.split(/\s+/, 2) ?? [];
  if (given?.toLowerCase() === scheme.toLowerCase()) return token ?? '';
  return queryParameter(request, 'access_token') ?? '';
}

/** Returns the token of a call under either scheme; empty without one. */
export function givenToken(request: FastifyRequest): string {
  return tokenOf(request) || tokenOf(request, 'OAuth');
}

/** Raises 104 without a token and 190 for an unknown token. */
export function requireToken(platform: Platform, request: FastifyRequest, scheme?: 'Bearer' | 'OAuth'): string {
  const token = tokenOf(request, scheme);
  if (token === '') throw new GraphError(104);
  if (!platform.world.isToken(token)) throw new GraphError(190);
  return token;
}

/** Raises 100 if an `appsecret_proof` is wrong, or missing while the app requires one. */
export function checkSecretProof(platform: Platform, request: FastifyRequest): void {
  const proof = queryParameter(request, 'appsecret_proof');
  const token = givenToken(request);
  const app = appOfToken(platform, token);
  if (proof === undefined) {
    if (!app.requiresProof) return;
    throw new GraphError(100, { message: 'API calls from the server require an appsecret_proof argument' });
  }
  const expected = createHmac('sha256', app.secret).update(token).digest('hex');
  if (proof !== expected) {
    throw new GraphError(100, { message: 'Invalid appsecret_proof provided in the API argument' });
  }
}

/** Parses the request's JSON object; an empty body is an empty object. Raises 100 for anything else. */
export function jsonBody(request: FastifyRequest): JsonObject {
  const bytes = request.body as Buffer | undefined;
  if (bytes === undefined || bytes.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalidParameter('The body is not valid JSON.');
  }
  if (!isObject(value)) throw invalidParameter('The body is not a JSON object.');
  return value;
}

/** Returns the facts for faults that need no body: the group, and the number and account of the path. */
export function faultTargetOf(platform: Platform, request: FastifyRequest): FaultTarget {
  const { world } = platform;
  const endpoint = request.routeOptions.config.simulatedEndpoint ?? 'accounts';
  const id = pathId(request);
  const number = world.findNumber(id);
  if (number !== undefined) return { endpoint, phoneNumberId: id, wabaId: number.wabaId };
  const wabaId = world.findWaba(id)?.id ?? world.findTemplate(id)?.wabaId;
  return { endpoint, ...(wabaId === undefined ? {} : { wabaId }) };
}

/** Resets the connection before the body is read if a fault requires it. Returns true if it did. */
export function resetEarly(platform: Platform, request: FastifyRequest, reply: FastifyReply): boolean {
  if (!platform.faults.takeEarlyReset(faultTargetOf(platform, request), platform.clock.now())) return false;
  reply.hijack();
  request.raw.socket.resetAndDestroy();
  return true;
}

/** Ends a request as the reply says. Answers wait for their delay. */
export async function performReply(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  shaped: Reply,
): Promise<FastifyReply> {
  switch (shaped.kind) {
    case 'answer':
      if (shaped.delayMs > 0) await pause(platform.clock, shaped.delayMs);
      return reply.code(shaped.httpStatus).type(shaped.contentType).send(shaped.body);
    case 'silence':
      return reply.hijack();
    case 'reset':
      reply.hijack();
      request.raw.socket.resetAndDestroy();
      return reply;
    case 'cut': {
      reply.hijack();
      const bytes = Buffer.from(shaped.body);
      reply.raw.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
      reply.raw.write(bytes.subarray(0, bytes.length >> 1), () => request.raw.socket.destroy());
      return reply;
    }
  }
}
