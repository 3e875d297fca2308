import type { NumberOwner, SendingNumber } from '../../accounts/index.ts';

/** An item that concerns a number and its person: a message of either, or a call. */
export interface NumberItem {
  phoneNumberId: string;
  wabaId: string | undefined;
  atMs: number;
}

export interface OwnershipFacts {
  /** Connected numbers by the platform's id. */
  numbers: ReadonlyMap<string, SendingNumber>;
  /** Organizations whose messages a status of a number may be about: see `Accounts.listOwners`. */
  owners: ReadonlyMap<string, readonly NumberOwner[]>;
  /** Owner of each business account that reports messages to a number known under another account; undefined if it has no owner. */
  wabaOwners: ReadonlyMap<string, string | undefined>;
}

/** Returns the connected number of an item; undefined for one that was meant for another organization. */
export function ownerOf(item: NumberItem, facts: OwnershipFacts): SendingNumber | undefined {
  const number = facts.numbers.get(item.phoneNumberId);
  return number === undefined || isForeign(item, number, facts) ? undefined : number;
}

/**
 * Returns true if an item of a number was meant for another organization. Either that organization had the number at the time, stamped
 * to the second, and no longer has it. Or the item is reported under that organization's account: the platform has moved the number
 * there, and the account has not been read since. An account without an owner counts as foreign, too: the organization that is connecting
 * it gets the item afterwards.
 */
function isForeign(
  { atMs, phoneNumberId, wabaId }: NumberItem,
  { organizationId }: SendingNumber,
  { owners, wabaOwners }: OwnershipFacts,
): boolean {
  if (wabaId !== undefined && wabaOwners.has(wabaId) && wabaOwners.get(wabaId) !== organizationId) return true;
  return (owners.get(phoneNumberId) ?? []).some(
    (one) => one.organizationId !== organizationId && Number.isFinite(one.untilMs) && atMs + 1_000 <= one.untilMs,
  );
}
