import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, type Query } from '../http/index.ts';
import { CallBudget } from './call-budget.ts';
import { type OwnerDeps, Owners } from './owners/owners.ts';
import { checkCall, type PassDeps, passOwned } from './pass-on.ts';
import { type PlatformCallDeps, PlatformCalls } from './platform-calls.ts';
import { jsonNames } from './request/read-body.ts';
import type { Edge, IdKind } from './table/edge.ts';
import { nodeEdge } from './table/edge-table.ts';

/** Dependencies of the calls that are passed on. */
export type EdgeDeps = Omit<PassDeps, 'owners' | 'calls'> &
  Omit<OwnerDeps, 'calls' | 'db'> &
  Omit<PlatformCallDeps, 'budget'>;

/** A request and its reply. */
interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/**
 * Passes a call about an object by its id alone. Returns undefined if the organization is not known to own such an object of one of `kinds`,
 * or if the call is another module's. With `asksPlatform`, the organization's lists at the platform are read first.
 */
export type PassNode = (
  exchange: Exchange,
  id: string,
  kinds: readonly IdKind[],
  options?: { asksPlatform: boolean },
) => Promise<FastifyReply | undefined>;

/** The calls that are passed on, with what all of them share. */
export interface Edges {
  deps: PassDeps;
  passNode: PassNode;
}

export function createEdges(edgeDeps: EdgeDeps): Edges {
  const calls = new PlatformCalls({ ...edgeDeps, budget: new CallBudget() });
  const owners = new Owners({ ...edgeDeps, calls });
  const deps: PassDeps = { ...edgeDeps, owners, calls };
  return {
    deps,
    async passNode({ request, reply }, id, kinds, { asksPlatform } = { asksPlatform: false }) {
      const { organizationId } = callerOf(request);
      const method = request.method === 'HEAD' ? 'GET' : (request.method as Edge['method']);
      const served = kinds.filter((kind) => nodeEdge(method, kind) !== undefined);
      const owned = asksPlatform
        ? await owners.find(organizationId, id, served)
        : await owners.findKnown(organizationId, id, served);
      const edge = owned && nodeEdge(method, owned.kind);
      if (owned === undefined || edge === undefined || !namesItsMembers(edge, request)) return undefined;
      return await passOwned(deps, checkCall(edge, request), owned, { request, reply });
    },
  };
}

/**
 * False for a change of a number or an account that names none of its members: a message or a template was posted to the wrong path, and
 * the answer says so.
 */
function namesItsMembers({ method, of, query, body: { members = [], refused = {} } }: Edge, request: FastifyRequest): boolean {
  if (method !== 'POST' || (of !== 'number' && of !== 'account')) return true;
  const given = [...Object.keys(request.query as Query), ...jsonNames(request)];
  return given.some((name) => query.includes(name) || members.includes(name) || Object.hasOwn(refused, name));
}
