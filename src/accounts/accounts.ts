import type { AppError } from '../core/errors.ts';
import { createBoundedCache } from '../core/limits/bounded-cache.ts';
import { mapNow, type Now } from '../core/now.ts';
import type { Clock } from '../core/time/clock.ts';
import { loadTogether } from '../database/batching/load-together.ts';
import type { Changes } from '../database/changes/change-feed.ts';
import type { Queryable } from '../database/database.ts';
import { type KnownState, openToken, type TokenOpener } from './keys/token.ts';
import {
  findNumberByPhone,
  findNumbersByUpstreamId,
  findSealedTokens,
  findWabasById,
  listNumbersById,
  listNumbersOfOrganization,
  listNumbersOfWaba,
} from './queries.ts';
import { listNumberIds, listNumberOwners, type NumberOwner } from './release-queries.ts';
import type { SendingNumber } from './sending-number.ts';
import { isUpstreamId, numberNotFound, type Waba, wabaNotFound } from './waba.ts';

/** A WABA's token and the stored state it belongs to. */
interface AccessToken extends KnownState {
  token: string;
}

/**
 * Numbers, WABAs and their tokens. Cached answers return at once; changes take effect within a second. Another organization's records look
 * exactly like missing ones.
 */
export interface Accounts {
  findNumber(organizationId: string, phoneNumberId: string): Now<SendingNumber | undefined>;
  /** `findNumber`, raising ACCOUNT_NOT_FOUND. */
  getNumber(organizationId: string, phoneNumberId: string): Now<SendingNumber>;
  /** Returns the number with these digits (api-rules#uploads), preferring a registered one. Never cached. */
  findNumberByDigits(organizationId: string, digits: string): Promise<SendingNumber | undefined>;
  /** Returns a number of any organization. Only for data from the upstream, never for a caller's request. */
  findByPhoneNumberId(phoneNumberId: string): Now<SendingNumber | undefined>;
  /**
   * Lists the organizations whose messages were sent from a number: its present owner, then former owners, the last one first. For data
   * from the upstream.
   */
  listOwners(phoneNumberId: string): Now<readonly NumberOwner[]>;
  /**
   * Lists the small ids under which the organization has or had a number, one for each time it was connected. For stored messages of the
   * number. Never cached. Raises ACCOUNT_NOT_FOUND if there are none.
   */
  listNumberIds(organizationId: string, phoneNumberId: string): Promise<number[]>;
  /** Returns the numbers with these small ids, of any organization and including released ones; missing ones are left out. Never cached. */
  findByNumberIds(numberIds: readonly number[]): Promise<SendingNumber[]>;
  /** Returns the organization's newest numbers. Never cached. */
  listNumbers(organizationId: string, numbersMax: number): Promise<SendingNumber[]>;
  findWaba(organizationId: string, wabaId: string): Now<Waba | undefined>;
  /** Returns a WABA of any organization, like `findByPhoneNumberId`. */
  findByWabaId(wabaId: string): Now<Waba | undefined>;
  /** Returns the numbers of a WABA; none if it is another organization's. Never cached. */
  listNumbersOfWaba(organizationId: string, wabaId: string): Promise<SendingNumber[]>;
  /** Returns the WABA's upstream token, kept in the clear for at most a minute. Raises NOT_FOUND, UNAVAILABLE. */
  tokenOf(organizationId: string, wabaId: string): Now<AccessToken>;
  /** Returns the token for a number that was just found. Raises ACCOUNT_NOT_FOUND if its WABA has been disconnected since. */
  tokenOfNumber(number: Pick<SendingNumber, 'organizationId' | 'wabaId'>): Now<AccessToken>;
}

const NUMBERS_MAX = 20_000;
const WABAS_MAX = 20_000;
/** Bounds the secrets in the clear, in number and time. */
const TOKENS_MAX = 2_000;
const TOKEN_AGE_MS_MAX = 60_000;

export function createAccounts(deps: TokenOpener & { db: Queryable; changes: Changes; clock: Clock }): Accounts {
  const { db, changes, clock } = deps;
  const numbers = createBoundedCache<string, SendingNumber | undefined>({
    max: NUMBERS_MAX,
    load: loadTogether((phoneNumberIds) => findNumbersByUpstreamId(db, phoneNumberIds)),
  });
  const owners = createBoundedCache<string, readonly NumberOwner[] | undefined>({
    max: NUMBERS_MAX,
    load: loadTogether((phoneNumberIds) => listNumberOwners(db, phoneNumberIds)),
  });
  const wabas = createBoundedCache<string, Waba | undefined>({
    max: WABAS_MAX,
    load: loadTogether((wabaIds) => findWabasById(db, wabaIds)),
  });
  const loadSealed = loadTogether((wabaIds) => findSealedTokens(db, wabaIds));
  const tokens = createBoundedCache<string, (AccessToken & { organizationId: string }) | undefined>({
    max: TOKENS_MAX,
    expiry: { afterMs: TOKEN_AGE_MS_MAX, monotonicMs: clock.monotonicMs },
    async load(wabaId) {
      const sealed = await loadSealed(wabaId);
      if (sealed === undefined) return undefined;
      const { organizationId, version, readAt } = sealed;
      return { organizationId, version, readAt, token: openToken(deps, wabaId, sealed) };
    },
  });
  changes.on('number', numbers.invalidate, numbers.clear);
  changes.on('number', owners.invalidate, owners.clear);
  changes.on('waba', wabas.invalidate, wabas.clear);
  changes.on('waba', tokens.invalidate, tokens.clear);
  // The proof of its secret belongs to every token of an app.
  changes.on('app', tokens.clear, tokens.clear);

  const findByPhoneNumberId = (phoneNumberId: string) =>
    isUpstreamId(phoneNumberId) ? numbers.get(phoneNumberId) : undefined;
  const findByWabaId = (wabaId: string) => (isUpstreamId(wabaId) ? wabas.get(wabaId) : undefined);
  const findNumber = (organizationId: string, phoneNumberId: string) =>
    mapNow(findByPhoneNumberId(phoneNumberId), (number) => ownOf(organizationId, number));

  const findToken = (organizationId: string, wabaId: string) =>
    mapNow(isUpstreamId(wabaId) ? tokens.get(wabaId) : undefined, (found) => ownOf(organizationId, found));

  return {
    findNumber,
    getNumber: (organizationId, phoneNumberId) => presentOr(numberNotFound, findNumber(organizationId, phoneNumberId)),
    findNumberByDigits: (organizationId, digits) => findNumberByPhone(db, organizationId, digits),
    findByPhoneNumberId,
    listOwners: (phoneNumberId) =>
      mapNow(isUpstreamId(phoneNumberId) ? owners.get(phoneNumberId) : undefined, (found) => found ?? []),
    async listNumberIds(organizationId, phoneNumberId) {
      const numberIds = await listNumberIds(db, organizationId, phoneNumberId);
      if (numberIds.length === 0) throw numberNotFound();
      return numberIds;
    },
    findByNumberIds: (numberIds) => listNumbersById(db, numberIds),
    listNumbers: (organizationId, numbersMax) => listNumbersOfOrganization(db, organizationId, numbersMax),
    listNumbersOfWaba: (organizationId, wabaId) => listNumbersOfWaba(db, organizationId, wabaId),
    findWaba: (organizationId, wabaId) => mapNow(findByWabaId(wabaId), (waba) => ownOf(organizationId, waba)),
    findByWabaId,
    tokenOf: (organizationId, wabaId) => presentOr(wabaNotFound, findToken(organizationId, wabaId)),
    tokenOfNumber: ({ organizationId, wabaId }) => presentOr(numberNotFound, findToken(organizationId, wabaId)),
  };
}

/** Returns the value, or throws the error for its absence. */
function presentOr<Found>(absence: () => AppError, found: Now<Found | undefined>): Now<Found> {
  return mapNow(found, (value) => {
    if (value === undefined) throw absence();
    return value;
  });
}

function ownOf<Owned extends { organizationId: string }>(
  organizationId: string,
  found: Owned | undefined,
): Owned | undefined {
  return found?.organizationId === organizationId ? found : undefined;
}
