import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { EndpointKind } from '../control/faults.ts';
import type { Platform } from '../platform.ts';
import { checkSecretProof, faultTargetOf, pathId, performReply } from './graph-request.ts';
import type { JsonObject } from './json-object.ts';
import { replyDone, replyUndone } from './reply.ts';
import { usageHeaders } from './usage-headers.ts';

interface GraphCallOptions {
  endpoint: EndpointKind;
  /** It counts as a management call of the account its path names, and its headers say how many there were. */
  isManagement?: boolean;
  bodyLimit?: number;
}

/** What a call does and answers; a GraphError becomes its documented answer. `id` is the one in the path. */
type GraphWork = (request: FastifyRequest, id: string) => JsonObject | Promise<JsonObject>;

/** Registers calls of the Graph API other than sends: faults of their scope come first, then their work. */
export function graphCalls(app: FastifyInstance, platform: Platform) {
  return (method: 'GET' | 'POST' | 'DELETE', url: string, options: GraphCallOptions, work: GraphWork): void => {
    const { endpoint, isManagement, ...limits } = options;
    app.route({
      method,
      url,
      config: { simulatedEndpoint: endpoint },
      ...limits,
      async handler(request, reply) {
        const id = pathId(request);
        if (isManagement) reply.headers(usageHeaders(platform, id));
        const selection = platform.faults.take(faultTargetOf(platform, request), platform.clock.now());
        const traceId = platform.ids.traceId();
        const carryOut = () => {
          checkSecretProof(platform, request);
          return work(request, id);
        };
        const shaped = replyUndone(selection, traceId) ?? (await replyDone(selection, traceId, carryOut));
        return performReply(platform, request, reply, shaped);
      },
    });
  };
}
