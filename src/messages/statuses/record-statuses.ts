import { inSets } from '../../database/batching/in-sets.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { deleteAppliedEarly, findSenders, parkStatuses, readRecordedEarly } from './early-status-queries.ts';
import { mergeUpdates, type StatusUpdate } from './message-status.ts';
import type { OwnedStatus } from './status-input.ts';
import { applyStatuses } from './status-queries.ts';

/**
 * Records a set of statuses. Statuses of known messages are merged into them; the others are parked until their send is recorded.
 * `ownersOf` returns the organizations that sent from a number, the current owner first. Statuses of numbers that never had an owner are
 * dropped. If a number has several owners, a status belongs to the sender of its message. Returns the parked statuses.
 */
export async function recordStatuses(
  tx: Queryable,
  updates: readonly StatusUpdate[],
  ownersOf: (phoneNumberId: string) => readonly string[],
  nowMs: number,
): Promise<OwnedStatus[]> {
  // Filters before the merge. Otherwise an update of an unowned number could be merged with one of an owned number.
  const told = mergeUpdates(updates.filter(({ phoneNumberId }) => ownersOf(phoneNumberId).length > 0));
  const disputed = told.filter(({ phoneNumberId }) => ownersOf(phoneNumberId).length > 1);
  const senders = disputed.length === 0 ? new Map<string, string>() : await findSenders(tx, disputed);
  const owned: OwnedStatus[] = told.flatMap((merged) => {
    const owners = ownersOf(merged.phoneNumberId);
    const sender = senders.get(merged.wamid);
    const organizationId = sender !== undefined && owners.includes(sender) ? sender : owners[0];
    return organizationId === undefined ? [] : [{ ...merged, organizationId }];
  });
  if (owned.length === 0) return [];
  const unknownWamids = await applyStatuses(tx, owned, nowMs);
  const early = owned.filter((status) => unknownWamids.has(status.wamid));
  for (const set of inSets(early)) await parkStatuses(tx, set, nowMs);
  return early;
}

/**
 * Applies the statuses that arrived before these wamid digests were recorded. A status is applied twice if its deletion fails or two calls
 * read it concurrently; that changes nothing.
 */
export async function applyEarlyStatuses(db: Database, wamidDigests: readonly string[], nowMs: number): Promise<void> {
  const early = await readRecordedEarly(db, wamidDigests);
  if (early.length === 0) return;
  await db.transaction((tx) => applyStatuses(tx, early, nowMs));
  await deleteAppliedEarly(db, early);
}
