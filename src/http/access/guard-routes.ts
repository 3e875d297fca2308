import type {
  FastifyInstance,
  onRequestHookHandler,
  onSendHookHandler,
  preHandlerHookHandler,
  RouteOptions,
} from 'fastify';

/** Group of callers that may use a route: all, the operator, organizations with their API keys, or the platform with its signature. */
export type RouteCaller = 'anyone' | 'operator' | 'organization' | 'platform';

/** One row of the route table. */
export interface RouteRow {
  /** Method and path as registered, such as `GET /v1/messages/:id`. */
  name: string;
  caller: RouteCaller;
  /** Module that serves the route. */
  module: string;
}

/** Hooks that a route runs before its handler and before its answer leaves. */
export interface RouteHooks {
  onRequest?: onRequestHookHandler[];
  preHandler?: preHandlerHookHandler[];
  onSend?: onSendHookHandler[];
}

const SECURITY: Record<RouteCaller, Record<string, []>[]> = {
  anyone: [],
  operator: [{ adminToken: [] }],
  organization: [{ apiKey: [] }],
  platform: [],
};

/**
 * Puts each route that is registered from now on under the access check of its row in the table. A route without a row cannot be
 * registered, so that no route is open by mistake.
 */
export function guardRoutes(
  app: FastifyInstance,
  table: readonly RouteRow[],
  hooksOf: (row: RouteRow) => RouteHooks,
): void {
  const rows = new Map(table.map((row) => [row.name, row]));
  app.addHook('onRoute', (route) => {
    const row = rows.get(nameOf(route));
    if (row === undefined) throw new Error(`the route table has no row for ${nameOf(route)}`);
    const hooks = hooksOf(row);
    route.schema = { security: SECURITY[row.caller], ...route.schema };
    for (const moment of ['onRequest', 'preHandler', 'onSend'] as const) {
      Object.assign(route, { [moment]: [...(hooks[moment] ?? []), ...[route[moment] ?? []].flat()] });
    }
  });
}

/** Returns the name of a route's row. Fastify adds a HEAD route to each GET route and announces it by itself. */
function nameOf({ method, url }: RouteOptions): string {
  return `${method === 'HEAD' ? 'GET' : method} ${url}`;
}
