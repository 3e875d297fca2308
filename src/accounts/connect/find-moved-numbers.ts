import type { Queryable } from '../../database/database.ts';
import type { Upstream } from '../../upstream/index.ts';
import { type TokenOpener, tryOpenToken } from '../keys/token.ts';
import { findSealedTokens } from '../queries.ts';
import { type KnownNumber, listForeignNumbers } from '../release-queries.ts';
import { takeValue } from './take-value.ts';

export interface MovedNumbersDeps extends TokenOpener {
  db: Queryable;
  upstream: Pick<Upstream, 'listPhoneNumbers'>;
}

/**
 * Those of the numbers a WABA of this organization was just read to have, by their upstream ids, that another organization has here,
 * and has no more at the platform. That the platform lists a number under a WABA, asked with that WABA's own token, is what
 * proves whose it is: no number is listed under two, and nobody can claim one by naming it. The WABA it was of is asked as well, for to
 * take a number away ends what waits for it, and a listing may be older than a move back. Where its token is good for nothing any
 * more, there is nothing to ask. Raises UNAVAILABLE when it cannot be asked now.
 */
export async function findMovedNumbers(
  deps: MovedNumbersDeps,
  organizationId: string,
  phoneNumberIds: readonly string[],
): Promise<KnownNumber[]> {
  const foreign = await listForeignNumbers(deps.db, organizationId, phoneNumberIds);
  const moved: KnownNumber[] = [];
  for (const [wabaId, numbers] of Map.groupBy(foreign, (number) => number.wabaId)) {
    const listed = await listStillListed(deps, wabaId);
    moved.push(...numbers.filter((number) => !listed.has(number.phoneNumberId)));
  }
  return moved;
}

async function listStillListed(deps: MovedNumbersDeps, wabaId: string): Promise<ReadonlySet<string>> {
  const { db, upstream } = deps;
  const stored = (await findSealedTokens(db, [wabaId])).get(wabaId);
  if (stored === undefined) return new Set();
  const token = tryOpenToken(deps, wabaId, stored);
  if (token === undefined) return new Set();
  const listed = await upstream.listPhoneNumbers(wabaId, token);
  if (listed.kind === 'rejected' || listed.kind === 'credential') return new Set();
  return new Set(takeValue(listed).map(({ id }) => id));
}
