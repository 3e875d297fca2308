import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { insertMember } from '../core/json/index.ts';
import { addressFor, callerOf, type Query } from '../http/index.ts';
import type { ClientCall, PassedOn } from './client-call.ts';
import type { Edges, NodeOptions } from './edges.ts';
import { edgeSchema } from './schemas.ts';
import type { Edge, IdKind } from './table/edge.ts';
import { PARAMETER_OF, ROUTED_EDGES, routePathOf } from './table/edge-table.ts';

const JSON_BYTES_MAX = 1024 * 1024;

/** Registers a route for each row of the table. Rows of an object itself are served by the routes of nodes. */
export function edgeRoutes(app: FastifyInstance, edges: Edges, publicUrl: string | null): void {
  for (const edge of ROUTED_EDGES) {
    app.route({
      method: edge.method,
      url: routePathOf(edge),
      schema: edgeSchema(edge),
      bodyLimit: edge.body.bytesMax ?? JSON_BYTES_MAX,
      async handler(request, reply) {
        const id = (request.params as Record<string, string>)[PARAMETER_OF[edge.of]] ?? '';
        return sendPassed(reply, await edges.passOn(edge, id, clientCallOf(request, publicUrl)));
      },
    });
  }
}

/**
 * Passes a request about an object by its id alone, like `Edges.passNode`, and answers it. Resolves with undefined, without an answer, if the
 * request is to be served otherwise.
 */
export type PassNode = (
  exchange: { request: FastifyRequest; reply: FastifyReply },
  id: string,
  kinds: readonly IdKind[],
  options?: NodeOptions,
) => Promise<FastifyReply | undefined>;

/** Returns the function with which the routes of nodes pass their requests on. */
export function nodePasser(edges: Edges, publicUrl: string | null): PassNode {
  return async ({ request, reply }, id, kinds, options = {}) => {
    const passed = await edges.passNode(clientCallOf(request, publicUrl), id, kinds, options);
    const { add } = options;
    if (passed === undefined) return undefined;
    const isWhole = add === undefined || passed.httpStatus >= 300;
    return sendPassed(reply, isWhole ? passed : { ...passed, body: withMember(passed.body, add) });
  };
}

function withMember(body: Buffer, { name, json }: { name: string; json: string }): Buffer {
  return Buffer.from(insertMember(body.toString('utf8'), [], name, json));
}

/** Returns a request as the calls that are passed on take it. */
export function clientCallOf(request: FastifyRequest, publicUrl: string | null): ClientCall {
  return {
    caller: callerOf(request),
    method: request.method === 'HEAD' ? 'GET' : (request.method as Edge['method']),
    headers: request.headers,
    query: request.query as Query,
    body: request.body as Buffer | undefined,
    code: (request.params as { code?: string }).code,
    address: addressFor(request, publicUrl),
  };
}

/** Answers a request with the platform's answer. */
export function sendPassed(reply: FastifyReply, { httpStatus, headers, body }: PassedOn): FastifyReply {
  return reply
    .code(httpStatus)
    .headers({ 'content-type': 'application/json', ...headers, 'x-content-type-options': 'nosniff' })
    .send(body);
}
