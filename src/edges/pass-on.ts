import { guardRegistration, numberNotFound, wabaNotFound } from '../accounts/index.ts';
import { AppError } from '../core/errors.ts';
import { rewriteLinks } from './answer/rewrite-links.ts';
import type { ClientCall, PassedOn } from './client-call.ts';
import { type ChangeDeps, followChange, isChange } from './follow-change.ts';
import type { Owned } from './owners/owned.ts';
import type { Owners } from './owners/owners.ts';
import type { PlatformCalls } from './platform-calls.ts';
import { listNamedIds } from './request/named-ids.ts';
import { type PassedBody, readBody } from './request/read-body.ts';
import { readQuery } from './request/read-query.ts';
import type { Edge, IdKind } from './table/edge.ts';

export interface PassDeps extends ChangeDeps {
  owners: Owners;
  calls: PlatformCalls;
}

/** A call whose parts are checked, except for the owner of its ids. */
interface CheckedCall {
  edge: Edge;
  call: ClientCall;
  query: Record<string, string>;
  body: PassedBody | null;
  /** The path behind the id. */
  path: string;
}

/**
 * Passes a call of the table on to the platform and returns the platform's answer (api-rules#edges). Raises VALIDATION_ERROR, NOT_FOUND or
 * ACCOUNT_NOT_FOUND for ids that the organization does not own, RATE_LIMITED, PROVIDER_REJECTED, UNAVAILABLE.
 */
export async function passOn(deps: PassDeps, edge: Edge, id: string, call: ClientCall): Promise<PassedOn> {
  const checked = checkCall(edge, call);
  const owned = await deps.owners.find(call.caller.organizationId, id, [edge.of]);
  if (owned === undefined) throw absent(edge.of);
  return await passOwned(deps, checked, owned);
}

/** Reads and checks the parts of a call that no owner is needed for, so that a malformed call gets the same answer with any id. */
export function checkCall(edge: Edge, call: ClientCall): CheckedCall {
  const body = readBody(call, edge);
  const query = readQuery(call.query, edge);
  const { code = '' } = call;
  if (edge.path.includes(':code') && !/^[0-9A-Za-z]{1,64}$/.test(code)) throw nothing();
  return { edge, call, query, body, path: edge.path.replace(':code', code) };
}

/** Passes a checked call about an object of the organization on. */
export async function passOwned(
  deps: PassDeps,
  { edge, call, query, body, path }: CheckedCall,
  owned: Owned,
): Promise<PassedOn> {
  const { calls, owners } = deps;
  const { organizationId } = call.caller;
  for (const { kind, ids } of listNamedIds(edge.named, query, body)) {
    for (const id of ids) if ((await owners.find(organizationId, id, [kind])) === undefined) throw absent(kind);
  }
  const changesRegistration = edge.follows === 'registered' || edge.follows === 'deregistered';
  if (changesRegistration && owned.number !== undefined) await guardRegistration(deps, owned.number);
  const answer = await calls.call(organizationId, owned, edge, { path, query, body });
  if (answer.httpStatus < 300) {
    if (edge.learns !== undefined) await owners.learn(organizationId, owned, edge.learns, answer.body);
    if (isChange(edge)) await followChange(deps, call.caller, edge, owned);
  }
  const node = `/v1/${encodeURIComponent(owned.objectId)}`;
  const place = { address: call.address, path: path === '' ? node : `${node}/${path}` };
  const isJson = /\bjson\b/i.test(answer.headers['content-type'] ?? '');
  return { ...answer, body: isJson ? rewriteLinks(answer.body, place) : answer.body };
}

/** Returns the answer for an id that names nothing of the organization: the same for another organization's id and an invented one. */
function absent(kind: IdKind): AppError {
  if (kind === 'number') return numberNotFound();
  return kind === 'account' ? wabaNotFound() : nothing();
}

function nothing(): AppError {
  return new AppError('NOT_FOUND', 'There is nothing with this id.');
}
