import type { Clock } from '../../core/time/clock.ts';
import { publishChange, publishChanges } from '../../database/changes/change-feed.ts';
import type { Database, Queryable } from '../../database/database.ts';
import type { UsedToken } from '../keys/token.ts';
import { findWabaById, listNumbersOfWaba } from '../queries.ts';
import type { Parked } from '../sending-number.ts';
import type { Waba } from '../waba.ts';
import { parkNumberForToken, parkWabaForToken } from './parking-queries.ts';

/**
 * Parks all numbers of a WABA until it is connected or read again, on every node within a second. Ignores a refusal with a token that has
 * been replaced, or one older than the last reading or report. A repeated call changes nothing. Returns true if it changed.
 */
export async function parkWaba(
  deps: { db: Database; clock: Clock },
  used: UsedToken,
  parked: Parked,
): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    const changed = await parkWabaForToken(tx, used, parked, new Date(deps.clock.now()));
    const waba = changed ? await findWabaById(tx, used.wabaId) : undefined;
    if (waba !== undefined) await publishWaba(tx, waba);
    return changed;
  });
}

/**
 * Parks one number until its WABA is connected or read again. Ignores a refusal with another token, before a later reading, or from a time
 * when the number was on another WABA. A repeated call changes nothing. Returns true if it changed.
 */
export async function parkNumber(
  deps: { db: Database; clock: Clock },
  phoneNumberId: string,
  used: UsedToken,
  parked: Parked,
): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    const changed = await parkNumberForToken(tx, phoneNumberId, used, parked, new Date(deps.clock.now()));
    if (!changed) return false;
    await publishChange(tx, 'waba', used.wabaId);
    await publishChange(tx, 'number', phoneNumberId);
    return true;
  });
}

/** Notifies every node of a WABA and its numbers: a WABA's parking applies to its numbers, so cached numbers must be reloaded, too. */
export async function publishWaba(
  tx: Queryable,
  { organizationId, wabaId }: Pick<Waba, 'organizationId' | 'wabaId'>,
): Promise<void> {
  const numbers = await listNumbersOfWaba(tx, organizationId, wabaId);
  await publishChange(tx, 'waba', wabaId);
  await publishChanges(
    tx,
    'number',
    numbers.map((number) => number.phoneNumberId),
  );
}
