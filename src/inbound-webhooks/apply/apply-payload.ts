import { type AccountChange, type Accounts, type Follower, listOwnedChanges } from '../../accounts/index.ts';
import { openWindows } from '../../conversations/index.ts';
import type { Now } from '../../core/now.ts';
import { conversationKeyOf } from '../../core/phone-number.ts';
import { inSets } from '../../database/batching/in-sets.ts';
import type { Queryable } from '../../database/database.ts';
import { rememberReceivedMedia } from '../../media/index.ts';
import { recordStatuses, storeInbound, storeOutside } from '../../messages/index.ts';
import { applyOptOutActs } from '../../opt-outs/index.ts';
import type { OrganizationPolicy } from '../../organizations/index.ts';
import type { Identified, People, PersonNames } from '../../people/index.ts';
import { listNumberItems, type UpstreamPayload } from '../payload/upstream-payload.ts';
import { claimChanges } from '../queries.ts';
import { followUnknownChanges } from './follow-unknown-changes.ts';
import { type IdentifiedItems, identifyItems, personOf } from './identify-items.ts';
import { listOpenings } from './list-openings.ts';
import { listPreferenceActs, listStopActs } from './list-opt-out-acts.ts';
import { type NumberItem, type OwnershipFacts, ownerOf } from './ownership.ts';
import { passOnStatuses } from './pass-on-statuses.ts';

export interface ApplyDeps {
  accounts: Accounts;
  people: People;
  settings: { get(organizationId: string): Now<Pick<OrganizationPolicy, 'optOutWords'>> };
  /** The modules that follow templates, numbers and accounts. */
  followers: readonly Follower[];
  /** Called with the number of inbound messages per number, which count against its throughput. */
  inboundCounted: (numberId: number, count: number) => void;
}

/** Payloads with the numbers they name, looked up before a transaction is opened for them. */
export interface ResolvedPayloads extends OwnershipFacts {
  payloads: readonly UpstreamPayload[];
  people: IdentifiedItems;
  /** Stop words of the organizations that have some. */
  stopWords: ReadonlyMap<string, readonly string[]>;
  /** Accounts with reported changes that no organization has connected. */
  unknownWabas: ReadonlySet<string>;
}

/**
 * Finds the organizations of these payloads' numbers, and the people of their items. New names of people are stored at once. Numbers that no organization has connected stay unknown, but former owners are
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
  const elsewhere = payloads.flatMap((payload) =>
    listNumberItems(payload).flatMap(({ phoneNumberId, wabaId }) => {
      const known = numbers.get(phoneNumberId)?.wabaId;
      return known === undefined || wabaId === undefined || wabaId === known ? [] : [wabaId];
    }),
  );
  const findOwner = async (wabaId: string) => (await deps.accounts.findByWabaId(wabaId))?.organizationId;
  const findOwners = async (ids: readonly string[]) =>
    new Map(await Promise.all([...new Set(ids)].map(async (id) => [id, await findOwner(id)] as const)));
  const wabaOwners = await findOwners(elsewhere);
  const statedOwners = await findOwners(payloads.flatMap(({ sameness }) => sameness.map(({ wabaId }) => wabaId)));
  const changed = [...new Set(payloads.flatMap(({ changes }) => changes.map(({ wabaId }) => wabaId)))];
  const known = await Promise.all(changed.map((wabaId) => deps.accounts.findByWabaId(wabaId)));
  const unknownWabas = new Set(changed.filter((_, index) => known[index] === undefined));
  const people = await identifyItems(deps.people, payloads, { numbers, owners, wabaOwners, statedOwners });
  const stopWords = await findStopWords(deps, payloads, numbers);
  return { payloads, numbers, owners, wabaOwners, unknownWabas, people, stopWords };
}

/** Returns the stop words of the organizations that people have written to. */
async function findStopWords(
  { settings }: Pick<ApplyDeps, 'settings'>,
  payloads: readonly UpstreamPayload[],
  numbers: OwnershipFacts['numbers'],
): Promise<Map<string, readonly string[]>> {
  const written = payloads.flatMap(({ inbound }) =>
    inbound.flatMap(({ phoneNumberId }) => numbers.get(phoneNumberId)?.organizationId ?? []),
  );
  const words = await Promise.all(
    [...new Set(written)].map(async (id) => [id, (await settings.get(id)).optOutWords] as const),
  );
  return new Map(words.filter(([, one]) => one.length > 0));
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

function listNumberIds(payload: UpstreamPayload): string[] {
  return [...payload.statuses, ...listNumberItems(payload)].map(({ phoneNumberId }) => phoneNumberId);
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
  const stored = await storeInbound(tx, inbound, nowMs);
  const receivers = stored.map(({ numberId }) => numberId);
  const outside = payloads.flatMap((payload) => ownedItems(payload.outside, resolved));
  await storeOutside(tx, outside, nowMs);
  const calls = payloads.flatMap((payload) => ownedItems(payload.calls, resolved));
  await openWindows(tx, listOpenings(inbound, calls));
  const preferences = payloads.flatMap((payload) => ownedItems(payload.preferences, resolved));
  const isNew = new Set(stored.map(({ organizationId, wamid }) => `${organizationId}:${wamid}`));
  const written = inbound.filter(({ organizationId, wamid }) => isNew.has(`${organizationId}:${wamid}`));
  const acts = [...listPreferenceActs(preferences), ...listStopActs(written, resolved.stopWords)];
  if (acts.length > 0) await applyOptOutActs(tx, acts, nowMs);
  // Ids of files of the past are handed out anew when the past is.
  const withFiles = outside.map(({ body, atMs, origin, ...message }) => ({
    ...message,
    raw: body,
    atMs: origin === 'history' ? nowMs : atMs,
  }));
  for (const set of inSets([...inbound, ...withFiles])) await rememberReceivedMedia(tx, set, nowMs);
  // Last, because its locks are in demand everywhere: a template may stay locked for as long as it takes to store thousands of statuses.
  const statuses = payloads
    .flatMap((payload) => payload.statuses)
    .map((status) => {
      const [number] = status.person.numbers;
      return { ...status, contact: number && conversationKeyOf(number), userId: status.person.userIds[0] };
    });
  const senders = new Map([...owners].map(([id, had]) => [id, had.map(({ organizationId }) => organizationId)]));
  const unknown = await recordStatuses(tx, statuses, (phoneNumberId) => senders.get(phoneNumberId) ?? [], nowMs);
  await passOnStatuses(tx, unknown);
  return receivers;
}

/** Returns the items of connected numbers with their owners and people, without items that were meant for another organization. */
function ownedItems<Item extends NumberItem & { person: PersonNames }>(
  items: readonly Item[],
  resolved: ResolvedPayloads,
) {
  return items.flatMap((item) => {
    const number = ownerOf(item, resolved);
    if (number === undefined) return [];
    const { organizationId, numberId, wabaId } = number;
    const identified = resolved.people.get(item);
    return [
      {
        ...item,
        ...personOf(item, identified),
        organizationId,
        numberId,
        keys: keysOf(item, identified).map((key) => ({ ...key, wabaId })),
      },
    ];
  });
}

/** Returns all keys of a person's windows, each with a name that the key is stored under. */
function keysOf({ person: names }: { person: PersonNames }, person: Identified | undefined) {
  if (person === undefined) return [];
  const [number] = names.numbers;
  const name = names.userIds[0] ?? names.parentUserIds[0] ?? (number && conversationKeyOf(number)) ?? person.number;
  return [{ contact: person.number, name }, ...person.also.map((key) => ({ contact: key, name: key }))];
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
