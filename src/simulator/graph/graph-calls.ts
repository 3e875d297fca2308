import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { EndpointKind } from '../control/faults.ts';
import type { Platform } from '../platform.ts';
import { checkSecretProof, faultTargetOf, pathId, performReply } from './graph-request.ts';
import type { JsonObject } from './json-object.ts';
import { replyDone, replyUndone } from './reply.ts';
import { usageHeaders } from './usage-headers.ts';

interface GraphCallOptions {
  endpoint: EndpointKind;
  /** Counts as a management call of the account in its path; the usage headers report the count. */
  isManagement?: boolean;
  bodyLimit?: number;
}

/** The work of a call, which returns its answer. A GraphError becomes its documented answer. `id` is the one in the path. */
type GraphWork = (request: FastifyRequest, id: string) => JsonObject | Promise<JsonObject>;

/** Registers Graph API calls other than sends. Faults of their scope are applied before their work. */
export function graphCalls(app: FastifyInstance, platform: Platform) {
  return (method: 'GET' | 'POST' | 'DELETE', url: string, options: GraphCallOptions, work: GraphWork): void => {
    const { endpoint, isManagement, ...limits } = options;
    app.route({
      method,
      url,
      config: { simulatedEndpoint: endpoint },
      ...limits,
      async handler(request, reply) {
        // Only the control API shows calls.
        if (platform.hasControlApi) platform.calls.append(request);
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
