import type { ChainPlace } from './chain-check.ts';
import { type ChangeFacts, DEPLOYMENT_CHAIN } from './entry.ts';
import type { FoundChange } from './find-changes.ts';
import type { ChainVerdict } from './verify-chain.ts';

/** Readers of the log: an operator sees everything, a key sees an operator's change without the person and the address. */
export type Reader = 'operator' | 'api_key';

/** Members of a row whose facts cannot be read. */
const UNREADABLE = {
  actor: { type: 'unknown', id: null, name: null, identity: null },
  address: null,
  request_id: '',
  operation: 'unreadable',
  object: null,
  before: null,
  parameters: null,
} as const;

/** Renders one change with its result. */
export function renderChange({ stored, facts, result }: FoundChange, reader: Reader) {
  const change = facts === undefined ? UNREADABLE : visibleTo(reader, facts);
  return {
    id: stored.id,
    organization_id: organizationOf(stored.chain),
    sequence: stored.sequence,
    at: stored.at.toISOString(),
    actor: change.actor,
    address: change.address,
    request_id: change.request_id,
    operation: change.operation,
    object: result?.object ?? change.object,
    before: change.before,
    after: result?.after ?? null,
    parameters: change.parameters,
    answer: result?.answer ?? null,
    http_status: result?.http_status ?? null,
    digest: stored.digest.toString('hex'),
  };
}

/** Returns the facts of a change as the reader may see them. */
function visibleTo(reader: Reader, facts: ChangeFacts) {
  const { type, id, name, identity = null } = facts.actor;
  if (reader === 'operator' || type === 'api_key') return { ...facts, actor: { type, id, name, identity } };
  return { ...facts, actor: { type: 'operator', id: null, name: null, identity: null }, address: null };
}

/** Renders the verdict about a chain. */
export function renderVerdict(chain: string, { rows, end, problem }: ChainVerdict) {
  return {
    organization_id: organizationOf(chain),
    intact: problem === undefined,
    rows,
    head: end === undefined ? null : renderPlace(end),
    problem: problem ?? null,
  };
}

function renderPlace({ sequence, digest }: ChainPlace) {
  return { sequence, digest: digest.toString('hex') };
}

function organizationOf(chain: string): string | null {
  return chain === DEPLOYMENT_CHAIN ? null : chain;
}
