import type {
  FastifyInstance,
  onRequestHookHandler,
  onSendHookHandler,
  preHandlerHookHandler,
  RouteOptions,
} from 'fastify';
import type { OperatorRole, Scope } from './scopes.ts';

/** Group of callers that may use a route: all, operators, organizations with their API keys, or the platform with its signature. */
export type RouteCaller = 'anyone' | 'operator' | 'organization' | 'platform';

/**
 * Treatment of a key that is limited to numbers: the path names the number, the path names a message of the number, the route leaves out
 * what belongs to other numbers, or the route is refused.
 */
export type NumberLimit = 'path' | 'message' | 'filtered' | 'refused';

/** One row of the route table. */
export type RouteRow = {
  /** Method and path as registered, such as `GET /v1/messages/:id`. */
  name: string;
  /** Module that serves the route. */
  module: string;
} & (
  | { caller: 'anyone' | 'platform' }
  | { caller: 'operator'; needs: OperatorRole }
  | { caller: 'organization'; needs: Scope | 'nothing'; numbers: NumberLimit }
);

/** Hooks that a route runs before its handler and before its answer leaves. */
export interface RouteHooks {
  onRequest?: onRequestHookHandler[];
  preHandler?: preHandlerHookHandler[];
  onSend?: onSendHookHandler[];
}

/**
 * Puts each route that is registered from now on under the access check of its row in the table. A route without a row cannot be
 * registered, so that no route is open by mistake.
 */
export function guardRoutes(
  app: FastifyInstance,
  table: readonly RouteRow[],
  hooksOf: (row: RouteRow, operationId: string) => RouteHooks,
): void {
  const rows = new Map(table.map((row) => [row.name, row]));
  app.addHook('onRoute', (route) => {
    const row = rows.get(nameOf(route));
    if (row === undefined) throw new Error(`the route table has no row for ${nameOf(route)}`);
    const { operationId = row.name } = (route.schema ?? {}) as { operationId?: string };
    const hooks = hooksOf(row, operationId);
    const { description } = route.schema ?? {};
    route.schema = {
      security: securityOf(row),
      ...route.schema,
      ...(description !== undefined && { description: `${description}${needOf(row)}` }),
    };
    for (const moment of ['onRequest', 'preHandler', 'onSend'] as const) {
      Object.assign(route, { [moment]: [...(hooks[moment] ?? []), ...[route[moment] ?? []].flat()] });
    }
  });
}

/** Returns the name of a route's row. Fastify adds a HEAD route to each GET route and announces it by itself. */
function nameOf({ method, url }: RouteOptions): string {
  return `${method === 'HEAD' ? 'GET' : method} ${url}`;
}

/** Returns the security of an operation. OpenAPI 3.1 lists the role or scope that a bearer token needs behind the scheme. */
function securityOf(row: RouteRow): Record<string, string[]>[] {
  if (row.caller === 'operator') return [{ adminToken: [row.needs] }];
  if (row.caller === 'organization') return [{ apiKey: row.needs === 'nothing' ? [] : [row.needs] }];
  return [];
}

function needOf(row: RouteRow): string {
  if (row.caller === 'operator') return ` Needs the role \`${row.needs}\`.`;
  if (row.caller !== 'organization' || row.needs === 'nothing') return '';
  const scope = ` Needs the scope \`${row.needs}\`.`;
  return row.numbers === 'refused' ? `${scope} Refused to keys that are limited to numbers.` : scope;
}
