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
 * Filters `phoneNumberIds`, just read from a WABA of this organization, to those that another organization has here but no longer at the
 * platform. Proof of ownership is the platform's list of a WABA's numbers, read with the WABA's own token: the platform lists a number
 * under one WABA only, so an id in a request proves nothing. The former WABA is read as well: taking a number away ends its waiting
 * messages, and the first list may be older than a move back. If the former WABA's token is invalid, that check is skipped. Raises
 * UNAVAILABLE if the former WABA cannot be read now.
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
