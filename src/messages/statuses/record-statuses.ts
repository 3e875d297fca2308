import { inSets } from '../../database/batching/in-sets.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { deleteAppliedEarly, findSenders, parkStatuses, readRecordedEarly } from './early-status-queries.ts';
import { mergeUpdates, type StatusUpdate } from './message-status.ts';
import type { OwnedStatus } from './status-input.ts';
import { applyStatuses } from './status-queries.ts';

/**
 * Records a set of statuses: those of known messages are merged into them, the rest wait for the send that produced them.
 * `ownersOf` names the organizations whose messages were sent from a number, the one that has it first; statuses of numbers nobody ever
 * had are left out. Where they are several, each status is the one's who sent its message.
 */
export async function recordStatuses(
  tx: Queryable,
  updates: readonly StatusUpdate[],
  ownersOf: (phoneNumberId: string) => readonly string[],
  nowMs: number,
): Promise<void> {
  // Before they are merged: what is told of a number nobody owns takes nothing with it.
  const told = mergeUpdates(updates.filter(({ phoneNumberId }) => ownersOf(phoneNumberId).length > 0));
  const disputed = told.filter(({ phoneNumberId }) => ownersOf(phoneNumberId).length > 1);
  const senders = disputed.length === 0 ? new Map<string, string>() : await findSenders(tx, disputed);
  const owned: OwnedStatus[] = told.flatMap((merged) => {
    const owners = ownersOf(merged.phoneNumberId);
    const sender = senders.get(merged.wamid);
    const organizationId = sender !== undefined && owners.includes(sender) ? sender : owners[0];
    return organizationId === undefined ? [] : [{ ...merged, organizationId }];
  });
  if (owned.length === 0) return;
  const unknownWamids = await applyStatuses(tx, owned, nowMs);
  const early = owned.filter((status) => unknownWamids.has(status.wamid));
  for (const set of inSets(early)) await parkStatuses(tx, set, nowMs);
}

/**
 * Applies the statuses that arrived before these wamids, named by their digests, were recorded. What is left parked by a statement that
 * fails, or was read by two at the same time, is applied twice, which changes nothing.
 */
export async function applyEarlyStatuses(db: Database, wamidDigests: readonly string[], nowMs: number): Promise<void> {
  const early = await readRecordedEarly(db, wamidDigests);
  if (early.length === 0) return;
  await db.transaction((tx) => applyStatuses(tx, early, nowMs));
  await deleteAppliedEarly(db, early);
}
