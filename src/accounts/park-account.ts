import type { Clock } from '../core/clock.ts';
import { publishChange, publishChanges } from '../database/change-feed.ts';
import type { Database, Queryable } from '../database/database.ts';
import { parkNumberUntil, parkWabaForToken } from './parking-queries.ts';
import { findWabaById, listNumbersOfWaba } from './queries.ts';
import type { Waba } from './waba.ts';

/**
 * Makes all numbers of a WABA wait until it is connected again, on every node within a second. `tokenVersion` is that of
 * the token that failed: a newer one is not parked for it. Doing it again changes nothing.
 */
export async function parkWaba(
  deps: { db: Database; clock: Clock },
  wabaId: string,
  tokenVersion: number,
  code: string,
  reason: string,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const changed = await parkWabaForToken(tx, wabaId, tokenVersion, { code, reason }, new Date(deps.clock.now()));
    const waba = changed ? await findWabaById(tx, wabaId) : undefined;
    if (waba !== undefined) await publishWaba(tx, waba);
  });
}

/** Makes one number wait until its WABA is connected again. Doing it again changes nothing. */
export async function parkNumber(
  deps: { db: Database; clock: Clock },
  phoneNumberId: string,
  code: string,
  reason: string,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const changed = await parkNumberUntil(tx, phoneNumberId, { code, reason }, null, new Date(deps.clock.now()));
    if (changed) await publishChange(tx, 'number', phoneNumberId);
  });
}

/** Tells every node of a WABA and its numbers: a number is parked with its WABA, so whoever remembers it must hear of that. */
export async function publishWaba(tx: Queryable, { organizationId, wabaId }: Waba): Promise<void> {
  const numbers = await listNumbersOfWaba(tx, organizationId, wabaId);
  await publishChange(tx, 'waba', wabaId);
  await publishChanges(
    tx,
    'number',
    numbers.map((number) => number.phoneNumberId),
  );
}
