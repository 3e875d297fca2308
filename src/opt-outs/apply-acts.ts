import { newId } from '../core/ids.ts';
import { inSets } from '../database/batching/in-sets.ts';
import { publishChanges } from '../database/changes/change-feed.ts';
import type { Queryable } from '../database/database.ts';
import { type NewEvent, recordEvents } from '../events/index.ts';
import { noteOptOuts } from '../organizations/index.ts';
import { lastActs, type OptOut, type OptOutAct } from './opt-out.ts';
import { type ChangedOptOut, type StoredOptOut, storeActs } from './queries.ts';

/** An opt-out in force that an act has made or confirmed. */
export interface AppliedOptOut extends OptOut {
  /** False if it was in force before. */
  isNew: boolean;
}

/**
 * Applies acts within the caller's transaction, with their events, and returns the opt-outs in force that they made or changed. Acts in any
 * order, and repeated ones, leave the same list.
 */
export async function applyOptOutActs(
  tx: Queryable,
  acts: readonly OptOutAct[],
  nowMs: number,
): Promise<AppliedOptOut[]> {
  const last = lastActs(acts).map((act) => ({ ...act, id: newId(nowMs) }));
  const given = new Set(last.map(({ id }) => id));
  const stored: StoredOptOut[] = [];
  for (const set of inSets(last)) stored.push(...(await storeActs(tx, set)));
  const isNew = ({ id, endedAt }: StoredOptOut) => endedAt === null && given.has(id);
  const made = stored.filter(isNew);
  const ended = stored.filter(({ id, endedAt }) => endedAt !== null && !given.has(id));
  await recordEvents(tx, [
    ...made.map((one) => eventOf('opt_out.created', one.organizationId, one, one.optedOutAt.getTime())),
    ...ended.map((one) => eventOf('opt_out.removed', one.organizationId, one, one.endedAt?.getTime() ?? nowMs)),
  ]);
  const organizationIds = new Set(made.map(({ organizationId }) => organizationId));
  if (organizationIds.size > 0) await publishChanges(tx, 'organization', await noteOptOuts(tx, [...organizationIds]));
  return stored.filter(({ endedAt }) => endedAt === null).map((one) => ({ ...one, isNew: isNew(one) }));
}

/** Returns the event of an opt-out that was made or ended. */
export function eventOf(
  type: 'opt_out.created' | 'opt_out.removed',
  organizationId: string,
  { id, numberId, phoneNumber, userId, source }: ChangedOptOut,
  atMs: number,
): NewEvent {
  return {
    id: newId(atMs),
    organizationId,
    type,
    numberId: numberId ?? undefined,
    occurredAtMs: atMs,
    detail: JSON.stringify({ opt_out_id: id, person: phoneNumber, user_id: userId, source }),
  };
}
