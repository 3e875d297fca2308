import {
  type AccountChange,
  type Accounts,
  type Follower,
  listOwnedChanges,
  type NumberOwner,
  type SendingNumber,
} from '../../accounts/index.ts';
import { openWindows } from '../../conversations/index.ts';
import { inSets } from '../../database/batching/in-sets.ts';
import type { Queryable } from '../../database/database.ts';
import { rememberReceivedMedia } from '../../media/index.ts';
import { recordStatuses, storeInbound, storeOutside } from '../../messages/index.ts';
import type { UpstreamPayload } from '../payload/upstream-payload.ts';
import { claimChanges } from '../queries.ts';
import { followUnknownChanges } from './follow-unknown-changes.ts';
import { listOpenings } from './list-openings.ts';
import { passOnStatuses } from './pass-on-statuses.ts';

export interface ApplyDeps {
  accounts: Accounts;
  /** The modules that follow templates, numbers and accounts. */
  followers: readonly Follower[];
  /** Called with the number of inbound messages per number, which count against its throughput. */
  inboundCounted: (numberId: number, count: number) => void;
}

/** Payloads with the numbers they name, looked up before a transaction is opened for them. */
export interface ResolvedPayloads {
  payloads: readonly UpstreamPayload[];
  numbers: Map<string, SendingNumber>;
  /** Organizations whose messages a status of a number may be about: see `Accounts.listOwners`. */
  owners: Map<string, readonly NumberOwner[]>;
  /** Owner of each business account that reports messages to a number known under another account; undefined if it has no owner. */
  wabaOwners: Map<string, string | undefined>;
  /** Accounts with reported changes that no organization has connected. */
  unknownWabas: ReadonlySet<string>;
}

/**
 * Finds the organizations of these payloads' numbers. Numbers that no organization has connected stay unknown, but former owners are
 * found for their statuses.
 */
export async function resolvePayloads(
  deps: ApplyDeps,
  payloads: readonly UpstreamPayload[],
): Promise<ResolvedPayloads> {
  const ids = [...new Set(payloads.flatMap(listNumberIds))];
  const found = await Promise.all(ids.map((id) => deps.accounts.findByPhoneNumberId(id)));
  const numbers = new Map(found.flatMap((number) => (number === undefined ? [] : [[number.phoneNumberId, number]])));
  const owners = new Map(await Promise.all(ids.map(async (id) => [id, await deps.accounts.listOwners(id)] as const)));
  const elsewhere = payloads.flatMap(({ inbound, outside, calls }) =>
    [...inbound, ...outside, ...calls].flatMap(({ phoneNumberId, wabaId }) => {
      const known = numbers.get(phoneNumberId)?.wabaId;
      return known === undefined || wabaId === undefined || wabaId === known ? [] : [wabaId];
    }),
  );
  const findOwner = async (wabaId: string) => (await deps.accounts.findByWabaId(wabaId))?.organizationId;
  const wabaOwners = new Map(
    await Promise.all([...new Set(elsewhere)].map(async (id) => [id, await findOwner(id)] as const)),
  );
  const changed = [...new Set(payloads.flatMap(({ changes }) => changes.map(({ wabaId }) => wabaId)))];
  const known = await Promise.all(changed.map((wabaId) => deps.accounts.findByWabaId(wabaId)));
  const unknownWabas = new Set(changed.filter((_, index) => known[index] === undefined));
  return { payloads, numbers, owners, wabaOwners, unknownWabas };
}

/** Returns the reasons why parts of a payload concern no organization, one for each number and account; empty if all of it does. */
export function listUnowned(payload: UpstreamPayload, { numbers, owners, unknownWabas }: ResolvedPayloads): string[] {
  const isUnowned = (id: string) => !numbers.has(id) && (owners.get(id) ?? []).length === 0;
  const numberIds = new Set(listNumberIds(payload));
  const wabaIds = new Set(payload.changes.map(({ wabaId }) => wabaId));
  return [
    ...[...numberIds].filter(isUnowned).map((id) => `number ${id} is not connected`),
    ...[...wabaIds].filter((id) => unknownWabas.has(id)).map((id) => `account ${id} is not connected`),
  ];
}

function listNumberIds({ statuses, inbound, outside, calls }: UpstreamPayload): string[] {
  return [...statuses, ...inbound, ...outside, ...calls].map(({ phoneNumberId }) => phoneNumberId);
}

/**
 * Applies the contents of all payloads, in bulk, within the caller's transaction. Returns the receiving number of each inbound message
 * that this call stored, to be counted (`countInbound`) after the commit.
 */
export async function applyPayloads(
  tx: Queryable,
  deps: ApplyDeps,
  resolved: ResolvedPayloads,
  nowMs: number,
): Promise<number[]> {
  const { payloads, owners } = resolved;
  const changes = await freshChanges(tx, payloads, nowMs);
  if (changes.length > 0) {
    for (const follower of deps.followers) await follower.follow(tx, changes, nowMs);
    await followUnknownChanges(tx, changes, deps.followers, nowMs);
  }
  const inbound = payloads.flatMap((payload) => ownedItems(payload.inbound, resolved));
  const receivers = (await storeInbound(tx, inbound, nowMs)).map(({ numberId }) => numberId);
  const outside = payloads.flatMap((payload) => ownedItems(payload.outside, resolved));
  await storeOutside(tx, outside, nowMs);
  const calls = payloads.flatMap((payload) => ownedItems(payload.calls, resolved));
  await openWindows(tx, listOpenings(inbound, calls));
  // Ids of files of the past are handed out anew when the past is.
  const withFiles = outside.map(({ body, atMs, origin, ...message }) => ({
    ...message,
    raw: body,
    atMs: origin === 'history' ? nowMs : atMs,
  }));
  for (const set of inSets([...inbound, ...withFiles])) await rememberReceivedMedia(tx, set, nowMs);
  // Last, because its locks are in demand everywhere: a template may stay locked for as long as it takes to store thousands of statuses.
  const statuses = payloads.flatMap((payload) => payload.statuses);
  const senders = new Map([...owners].map(([id, had]) => [id, had.map(({ organizationId }) => organizationId)]));
  const unknown = await recordStatuses(tx, statuses, (phoneNumberId) => senders.get(phoneNumberId) ?? [], nowMs);
  await passOnStatuses(tx, unknown);
  return receivers;
}

/** An item that concerns a number and its person: a message of either, or a call. */
interface NumberItem {
  phoneNumberId: string;
  wabaId: string | undefined;
  atMs: number;
}

/** Returns the items of connected numbers with their owners, without items that were meant for another organization. */
function ownedItems<Item extends NumberItem>(
  items: readonly Item[],
  resolved: ResolvedPayloads,
): (Item & { organizationId: string; numberId: number })[] {
  return items.flatMap((item) => {
    const number = resolved.numbers.get(item.phoneNumberId);
    if (number === undefined || isForeign(item, number, resolved)) return [];
    return [{ ...item, organizationId: number.organizationId, numberId: number.numberId }];
  });
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
  { owners, wabaOwners }: ResolvedPayloads,
): boolean {
  if (wabaId !== undefined && wabaOwners.has(wabaId) && wabaOwners.get(wabaId) !== organizationId) return true;
  return (owners.get(phoneNumberId) ?? []).some(
    (one) => one.organizationId !== organizationId && Number.isFinite(one.untilMs) && atMs + 1_000 <= one.untilMs,
  );
}

/** Counts inbound messages, each by the number it came to. */
export function countInbound({ inboundCounted }: ApplyDeps, receivers: readonly number[]): void {
  for (const numberId of receivers) inboundCounted(numberId, 1);
}

/**
 * Returns the changes to apply now. A change of an account without an owner is left to a replay, once an organization has connected the
 * account.
 */
async function freshChanges(
  tx: Queryable,
  payloads: readonly UpstreamPayload[],
  nowMs: number,
): Promise<AccountChange[]> {
  const told = new Map(payloads.flatMap((payload) => payload.changes).map((change) => [change.id, change]));
  if (told.size === 0) return [];
  const owned = await listOwnedChanges(tx, [...told.values()]);
  const claimed = await claimChanges(
    tx,
    owned.map(({ id }) => id),
    nowMs,
  );
  return owned.filter(({ id }) => claimed.has(id));
}
