import type { FastifyInstance } from 'fastify';
import type { Edges } from './edges.ts';
import { passOn } from './pass-on.ts';
import { edgeSchema } from './schemas.ts';
import { EDGES, PARAMETER_OF, routePathOf } from './table/edge-table.ts';

const JSON_BYTES_MAX = 1024 * 1024;

/** Registers a route for each row of the table. Rows of an object itself are served by the routes of nodes. */
export function edgeRoutes(app: FastifyInstance, { deps }: Edges): void {
  for (const edge of EDGES) {
    if (edge.path === '') continue;
    app.route({
      method: edge.method,
      url: routePathOf(edge),
      schema: edgeSchema(edge),
      bodyLimit: edge.body.bytesMax ?? JSON_BYTES_MAX,
      handler(request, reply) {
        const id = (request.params as Record<string, string>)[PARAMETER_OF[edge.of]] ?? '';
        return passOn(deps, edge, id, { request, reply });
      },
    });
  }
}
