import type { Logger } from 'pino';
import { newId } from '../core/ids.ts';
import { isObject } from '../core/json/index.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Queryable } from '../database/database.ts';
import type { Operator } from '../http/index.ts';
import type { ChainPlace } from './chain-check.ts';
import { type Actor, type ChangeFacts, DEPLOYMENT_CHAIN, type ResultFacts, type RowHead, type State } from './entry.ts';
import { type FoundObject, findKeyName, findObject } from './object-queries.ts';
import { appendRow } from './queries.ts';
import type { AuditRule } from './rules.ts';

export interface AuditDeps {
  db: Queryable;
  clock: Pick<Clock, 'now'>;
  log: Pick<Logger, 'info' | 'error'>;
}

/** A request that makes a change, as far as the log is concerned. */
export interface ChangeRequest {
  /** The request's id. */
  id: string;
  /** The client's address. */
  ip: string;
  params: unknown;
  query: unknown;
  /** The organization that the change is made for, and its key that makes it; null for changes of operators. */
  caller: { organizationId: string; apiKeyId: string | null } | null;
  /** The operator who makes the change, or null. */
  operator: Pick<Operator, 'id' | 'name' | 'identity'> | null;
}

/** A change whose first row is stored. */
export interface BegunChange {
  chain: string;
  place: ChainPlace;
}

/**
 * Stores the first row of a change: by whom, from where, the operation and its object as it is now. A change of an organization, or of
 * something that belongs to it, is stored in the organization's chain.
 */
export async function beginChange(
  { db, clock }: AuditDeps,
  { kinds, id, organization, query = [] }: AuditRule,
  operation: string,
  request: ChangeRequest,
): Promise<BegunChange> {
  const parameters = request.params as Record<string, string>;
  const ownId = request.caller?.organizationId;
  const [actor, object, owner] = await Promise.all([
    actorOf(db, request),
    id !== undefined && 'parameter' in id ? findObject(db, kinds, parameters[id.parameter] ?? '', ownId) : undefined,
    organization === undefined ? undefined : findObject(db, ['organization'], parameters[organization] ?? '', ownId),
  ]);
  const facts: ChangeFacts = {
    actor,
    address: request.ip,
    request_id: request.id,
    operation,
    object: nameOf(object),
    before: object?.state ?? null,
    parameters: pick(request.query as State, query),
  };
  const chain = ownId ?? object?.organizationId ?? owner?.organizationId ?? DEPLOYMENT_CHAIN;
  return { chain, place: await appendRow(db, chain, headAt(clock, 'change'), facts) };
}

/** Stores the second row of a change: the status of the answer, and the object as it is now. */
export async function endChange(
  { db, clock, log }: AuditDeps,
  { kinds, id, answer = [] }: AuditRule,
  operation: string,
  { request, httpStatus, payload }: { request: ChangeRequest; httpStatus: number; payload: unknown },
  { chain, place }: BegunChange,
): Promise<void> {
  const parameters = request.params as Record<string, string>;
  const isDone = httpStatus < 300;
  const members = isDone ? readMembers(payload) : {};
  const objectId = id === undefined ? undefined : 'parameter' in id ? parameters[id.parameter] : members[id.answer];
  const object =
    isDone && typeof objectId === 'string'
      ? await findObject(db, kinds, objectId, request.caller?.organizationId)
      : undefined;
  const facts: ResultFacts = {
    http_status: httpStatus,
    object: nameOf(object),
    after: object?.state ?? null,
    answer: pick(members, answer),
  };
  const stored = await appendRow(db, chain, headAt(clock, 'result', place.sequence), facts);
  // A line outside of the database: whoever rewrites a whole chain cannot rewrite the log as well.
  log.info(
    {
      operation,
      requestId: request.id,
      chain,
      sequence: stored.sequence,
      digest: stored.digest.toString('hex'),
      httpStatus,
    },
    'change recorded in the audit log',
  );
}

/** Returns who makes the change. An operator who acts for an organization is a caller, too. */
async function actorOf(db: Queryable, { caller, operator }: ChangeRequest): Promise<Actor> {
  if (operator !== null) {
    const { id, name, identity } = operator;
    return { type: id === null ? 'admin_token' : 'operator', id, name, identity };
  }
  if (caller === null || caller.apiKeyId === null) throw new Error('audited route without an access check');
  const { organizationId, apiKeyId } = caller;
  return { type: 'api_key', id: apiKeyId, name: await findKeyName(db, organizationId, apiKeyId), identity: null };
}

function nameOf(object: FoundObject | undefined): ChangeFacts['object'] {
  return object === undefined ? null : { type: object.type, id: object.id };
}

function headAt(clock: Pick<Clock, 'now'>, kind: 'change' | 'result', ofSequence: number | null = null): RowHead {
  const nowMs = clock.now();
  return { id: newId(nowMs), at: new Date(nowMs).toISOString(), kind, of_sequence: ofSequence };
}

/** Returns the members of a JSON answer; none for any other payload. */
function readMembers(payload: unknown): State {
  const text = Buffer.isBuffer(payload) ? payload.toString() : payload;
  if (typeof text !== 'string' || !text.startsWith('{')) return {};
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}

/** Returns the listed members; null if there are none. */
function pick(from: State, names: readonly string[]): State | null {
  const found = names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]] as const);
  return found.length === 0 ? null : Object.fromEntries(found);
}
