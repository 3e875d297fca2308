import { checkScope } from '../http/index.ts';
import { CallBudget } from './call-budget.ts';
import type { ClientCall, PassedOn } from './client-call.ts';
import { type OwnerDeps, Owners } from './owners/owners.ts';
import { checkCall, type PassDeps, passOn, passOwned } from './pass-on.ts';
import { type PlatformCallDeps, PlatformCalls } from './platform-calls.ts';
import { jsonNames } from './request/read-body.ts';
import type { Edge, IdKind } from './table/edge.ts';
import { nodeEdge, scopeOf } from './table/edge-table.ts';
import { type UploadDeps, Uploads } from './uploads/uploads.ts';

/** Dependencies of the calls that are passed on. */
type EdgeDeps = Omit<PassDeps, 'owners' | 'calls'> &
  Omit<OwnerDeps, 'calls' | 'db'> &
  Omit<PlatformCallDeps, 'budget'> &
  Pick<UploadDeps, 'appId'>;

export interface NodeOptions {
  /** True if the organization's lists at the platform are read before the object counts as unknown. */
  asksPlatform?: boolean;
  /** The path behind the id, of a list that the routes of nodes serve; the object itself if absent. */
  path?: string;
  /** A member that a successful answer gets beside the platform's. */
  add?: { name: string; json: string };
}

/** The calls that are passed on, with what all of them share. */
export interface Edges {
  uploads: Uploads;
  /** Passes a call of the table on. */
  passOn(edge: Edge, id: string, call: ClientCall): Promise<PassedOn>;
  /**
   * Passes a call about an object by its id alone. Returns undefined if the organization is not known to own such an object of one of
   * `kinds`, or if the call is another module's.
   */
  passNode(call: ClientCall, id: string, kinds: readonly IdKind[], options: NodeOptions): Promise<PassedOn | undefined>;
}

export function createEdges(edgeDeps: EdgeDeps): Edges {
  const calls = new PlatformCalls({ ...edgeDeps, budget: new CallBudget() });
  const owners = new Owners({ ...edgeDeps, calls });
  const deps: PassDeps = { ...edgeDeps, owners, calls };
  return {
    uploads: new Uploads({ ...edgeDeps, calls }),
    passOn: (edge, id, call) => passOn(deps, edge, id, call),
    async passNode(call, id, kinds, { asksPlatform = false, path = '' }) {
      const { organizationId } = call.caller;
      const served = kinds.filter((kind) => nodeEdge(call.method, kind, path) !== undefined);
      const owned = asksPlatform
        ? await owners.find(organizationId, id, served)
        : await owners.findKnown(organizationId, id, served);
      const edge = owned && nodeEdge(call.method, owned.kind, path);
      if (owned === undefined || edge === undefined || !namesItsMembers(edge, call)) return undefined;
      // The route of a node needs the scope of templates or media, the other objects behind it the scope of numbers.
      if (owned.kind !== 'template') checkScope(call.caller, scopeOf(edge));
      return await passOwned(deps, checkCall(edge, call), owned);
    },
  };
}

/**
 * False for a change of a number or an account that names none of its members: a message or a template was posted to the wrong path, and
 * the answer says so.
 */
function namesItsMembers({ method, of, query, body: { members = [], refused = {} } }: Edge, call: ClientCall): boolean {
  if (method !== 'POST' || (of !== 'number' && of !== 'account')) return true;
  const given = [...Object.keys(call.query), ...jsonNames(call)];
  return given.some((name) => query.includes(name) || members.includes(name) || Object.hasOwn(refused, name));
}
