import type { FastifyRequest } from 'fastify';
import type { JsonObject } from '../graph/json-object.ts';
import type { Platform } from '../platform.ts';
import { signupCall } from './account-edge-routes.ts';
import { flowCall } from './flow-routes.ts';
import { groupCall } from './group-routes.ts';

/** Answers a call about a flow, a group or a sign-up by its id alone; undefined if the id names none of them. */
export function nodeCall(platform: Platform, request: FastifyRequest, id: string): JsonObject | undefined {
  return flowCall(platform, request, id) ?? groupCall(platform, request, id) ?? signupCall(platform, request, id);
}
