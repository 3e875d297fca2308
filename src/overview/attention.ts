import type { FailingEndpoint, ListedNode, Stopped } from './queries.ts';

/** Call of the API that repairs something. */
interface RepairingCall {
  method: 'POST' | 'PATCH';
  path: string;
  /** Null if the call has no body, or if a person has to supply it. */
  body: Record<string, unknown> | null;
}

/** Something that sends or delivers nothing until a person acts. */
export interface Attention {
  kind:
    | 'account_parked'
    | 'number_parked'
    | 'number_paused'
    | 'endpoint_disabled'
    | 'endpoint_failing'
    | 'node_lost'
    | 'no_dispatch'
    | 'webhooks_pending';
  subject: string;
  organizationId: string | null;
  since: Date | null;
  reason: string;
  repair: RepairingCall | null;
}

/** Codes of the platform for a refused token. */
const TOKEN_CODES = new Set(['190', '102', '104', '10', '200']);
/** A node that ended in disorder is reported for this long. */
const LOST_MS = 10 * 60_000;

interface Facts {
  stopped: readonly Stopped[];
  failing: readonly FailingEndpoint[];
  nodes: readonly ListedNode[];
  pendingSince: Date | undefined;
  waiting: number;
}

/** Returns the things that need a person, the most urgent first. */
export function listAttention({ stopped, failing, nodes, pendingSince, waiting }: Facts, nowMs: number): Attention[] {
  const dispatches = nodes.some(({ isAlive, dispatches }) => isAlive && dispatches);
  return [
    ...(dispatches || waiting === 0 ? [] : [NO_DISPATCH]),
    ...nodes.filter(({ isAlive, seenAt }) => !isAlive && nowMs - seenAt.getTime() < LOST_MS).map(lostNode),
    ...stopped.filter(({ code }) => code !== null).map(parked),
    ...failing.map(failingEndpoint),
    ...(pendingSince === undefined ? [] : [pendingPayloads(pendingSince)]),
    ...stopped.filter(({ code, paused }) => code === null && paused).map(pausedNumber),
  ];
}

const NO_DISPATCH: Attention = {
  kind: 'no_dispatch',
  subject: 'nodes',
  organizationId: null,
  since: null,
  reason: 'Messages wait, and no living node has the role dispatch.',
  repair: null,
};

function lostNode({ id, seenAt }: ListedNode): Attention {
  return {
    kind: 'node_lost',
    subject: id,
    organizationId: null,
    since: seenAt,
    reason: 'The node ended without giving back its work. Other nodes have taken it over.',
    repair: null,
  };
}

function parked({ organizationId, wabaId, phoneNumberId, code, reason, since }: Stopped): Attention {
  const isToken = TOKEN_CODES.has(code ?? '');
  return {
    kind: phoneNumberId === null ? 'account_parked' : 'number_parked',
    subject: phoneNumberId ?? wabaId ?? '',
    organizationId,
    since,
    reason: `${code}: ${reason}`,
    repair: isToken
      ? { method: 'POST', path: `/admin/v1/organizations/${organizationId}/wabas`, body: null }
      : { method: 'POST', path: `/admin/v1/wabas/${wabaId}/sync`, body: null },
  };
}

function pausedNumber({ organizationId, phoneNumberId }: Stopped): Attention {
  return {
    kind: 'number_paused',
    subject: phoneNumberId ?? '',
    organizationId,
    since: null,
    reason: 'An operator has paused the number.',
    repair: { method: 'PATCH', path: `/admin/v1/numbers/${phoneNumberId}`, body: { paused: false } },
  };
}

function failingEndpoint({ organizationId, id, disabledReason, disabledAt, failingSince }: FailingEndpoint): Attention {
  return disabledReason === null
    ? {
        kind: 'endpoint_failing',
        subject: id,
        organizationId,
        since: failingSince,
        reason: 'Every delivery fails.',
        repair: { method: 'POST', path: `/v1/webhooks/${id}/test`, body: null },
      }
    : {
        kind: 'endpoint_disabled',
        subject: id,
        organizationId,
        since: disabledAt,
        reason: disabledReason === 'gone' ? 'The endpoint answered 410.' : 'Every delivery of five days failed.',
        repair: { method: 'POST', path: `/v1/webhooks/${id}/enable`, body: null },
      };
}

function pendingPayloads(since: Date): Attention {
  return {
    kind: 'webhooks_pending',
    subject: 'upstream journal',
    organizationId: null,
    since,
    reason: 'Webhooks of the platform were received and could not be applied yet.',
    repair: { method: 'POST', path: '/admin/v1/upstream-journal/replay', body: null },
  };
}
