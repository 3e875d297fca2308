import { ACCOUNT_EDGES, TEMPLATE_EDGES } from './account-edges.ts';
import { CALL_EDGES } from './call-edges.ts';
import type { Edge, IdKind } from './edge.ts';
import { FLOW_EDGES } from './flow-edges.ts';
import { GROUP_EDGES } from './group-edges.ts';
import { NUMBER_EDGES } from './number-edges.ts';
import { REGISTRATION_EDGES } from './registration-edges.ts';

/**
 * Every call that is passed on to the platform, one row a call. Routes, the OpenAPI file, the guide's table and the property test of foreign
 * ids are drawn from it: a new row is served and covered. A call without a row stays closed.
 */
export const EDGES: readonly Edge[] = [
  ...NUMBER_EDGES,
  ...REGISTRATION_EDGES,
  ...CALL_EDGES,
  ...FLOW_EDGES,
  ...GROUP_EDGES,
  ...ACCOUNT_EDGES,
  ...TEMPLATE_EDGES,
];

/** Name of the path parameter of each kind of id. */
export const PARAMETER_OF: Record<IdKind, string> = {
  number: 'phoneNumberId',
  account: 'wabaId',
  flow: 'flowId',
  group: 'groupId',
  template: 'templateId',
  signup: 'signupId',
  history: 'historyId',
};

/** Returns the path of a row's route. Rows of an object itself are served by the routes of nodes. */
export function routePathOf({ of, path }: Edge): string {
  return `/v1/:${PARAMETER_OF[of]}/${path}`;
}

/** Rows with a route of their own; the others are served by the routes of nodes. */
export const ROUTED_EDGES: readonly Edge[] = EDGES.filter(({ path, ofNodes }) => path !== '' && ofNodes !== true);

/** Names of the routes by the scope that each needs, as the route table has them. */
export const EDGE_ROUTES = {
  'number:read': ROUTED_EDGES.filter((edge) => scopeOf(edge) === 'number:read').map(routeNameOf),
  'number:manage': ROUTED_EDGES.filter((edge) => scopeOf(edge) === 'number:manage').map(routeNameOf),
} as const;

/** Returns the scope that a call needs. */
export function scopeOf({ method }: Pick<Edge, 'method'>): 'number:read' | 'number:manage' {
  return method === 'GET' ? 'number:read' : 'number:manage';
}

function routeNameOf(edge: Edge): string {
  return `${edge.method} ${routePathOf(edge)}`;
}

/** Returns the row of an object itself, or of a list that the routes of nodes serve. */
export function nodeEdge(method: Edge['method'], of: IdKind, path: string): Edge | undefined {
  const isServed = (edge: Edge) => edge.path === path && (path === '' || edge.ofNodes === true);
  return EDGES.find((edge) => edge.method === method && edge.of === of && isServed(edge));
}
