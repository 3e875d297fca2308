import type { ChainPlace } from './chain-check.ts';
import { type Actor, type ChangeFacts, DEPLOYMENT_CHAIN, type ResultFacts, type RowHead } from './entry.ts';
import type { StoredChange } from './queries.ts';
import type { ChainVerdict } from './verify-chain.ts';

/** Readers of the log: an operator sees everything, a key sees an operator's change without the person and the address. */
export type Reader = 'operator' | 'api_key';

/** Renders one change with its result. */
export function renderChange(stored: StoredChange, reader: Reader) {
  const change = JSON.parse(stored.facts) as RowHead & ChangeFacts;
  const result = stored.result === null ? undefined : (JSON.parse(stored.result) as ResultFacts);
  const isHidden = reader === 'api_key' && change.actor.type !== 'api_key';
  const actor: Actor = isHidden ? { type: 'operator', id: null, name: null, identity: null } : change.actor;
  return {
    id: stored.id,
    organization_id: organizationOf(stored.chain),
    sequence: stored.sequence,
    at: change.at,
    actor: { type: actor.type, id: actor.id, name: actor.name, identity: actor.identity ?? null },
    address: isHidden ? null : change.address,
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
