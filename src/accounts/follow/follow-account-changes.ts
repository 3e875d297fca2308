import { digestUuidBeside } from '../../core/ids.ts';
import { membersOf } from '../../core/json/index.ts';
import { publishChanges } from '../../database/changes/change-feed.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { type NewEvent, recordEvents } from '../../events/index.ts';
import { requestOnboardingReading } from '../marketing/marketing-queries.ts';
import { findWabaById, findWabasById, listNumbersOfWaba } from '../queries.ts';
import { lockNumbers } from '../release-queries.ts';
import type { SendingNumber } from '../sending-number.ts';
import type { Waba } from '../waba.ts';
import {
  ACCOUNT_FIELDS,
  type AccountChange,
  type AccountVerdict,
  type Follower,
  judgeAccountChange,
  type NumberUpdate,
  RESTRICTED,
} from './account-change.ts';
import {
  listTold,
  lockWabas,
  noteNumberStanding,
  noteWabaStanding,
  storeTold,
  type ToldOfNumber,
} from './followed-change-queries.ts';
import { publishWaba } from './park-account.ts';
import {
  clearNumberParkedWith,
  clearParkedPast,
  clearParkedWith,
  listParkedPast,
  noteReviewBesideBan,
  parkNumberUntil,
  parkWabaUntil,
} from './parking-queries.ts';

/** A change with its verdict, its account and the numbers concerned. */
interface Followed {
  change: AccountChange;
  verdict: AccountVerdict;
  waba: Waba;
  /** The number that the change names, if it is known. */
  number: SendingNumber | undefined;
  /** All numbers that the change is about. */
  concerned: readonly SendingNumber[];
}

/**
 * Applies webhook reports about numbers and accounts (quality, name, throughput, limits, bans, reviews) in the caller's transaction, and
 * records their events. Skips accounts that are not connected. Ignores a report older than the last one on the same matter: the upstream
 * repeats undelivered webhooks for days. The caller has filtered the changes with `listOwnedChanges`.
 */
async function followAccountChanges(tx: Queryable, changes: readonly AccountChange[], nowMs: number): Promise<void> {
  const followed = await findConcerned(tx, changes, nowMs);
  const parked = new Map<string, Waba>();
  for (const one of followed) if (await applyParking(tx, one, nowMs)) parked.set(one.waba.wabaId, one.waba);
  for (const waba of parked.values()) await publishWaba(tx, waba);

  for (const wabaId of new Set(followed.filter(isAboutOnboarding).map(({ waba }) => waba.wabaId)))
    await requestOnboardingReading(tx, wabaId);

  const updated = await updateNumbers(tx, followed, nowMs);
  await publishChanges(tx, 'number', [...new Set([...updated.values()].flatMap((ids) => [...ids]))]);
  await recordEvents(
    tx,
    followed.flatMap((one) => eventsOf(one, updated.get(one.change.id), nowMs)),
  );
}

/** Events about the admission to `/marketing_messages`. They do not say if it is complete, so it is read. */
const ONBOARDING_EVENTS: ReadonlySet<unknown> = new Set(['MM_LITE_TERMS_SIGNED', 'AD_ACCOUNT_LINKED']);

function isAboutOnboarding({ change, verdict }: Followed): boolean {
  return change.field === 'account_update' && ONBOARDING_EVENTS.has(verdict.detail.event);
}

export const accountFollower: Follower = { fields: ACCOUNT_FIELDS, follow: followAccountChanges };

/** Returns the changes about connected accounts, and locks their WABAs. */
export async function listOwnedChanges(tx: Queryable, changes: readonly AccountChange[]): Promise<AccountChange[]> {
  const wabaIds = new Set(changes.flatMap((change) => [change.wabaId, accountOf(change)]));
  const owners = await lockWabas(tx, [...wabaIds]);
  return changes.filter((change) => owners.has(change.wabaId) || owners.has(accountOf(change)));
}

/** Ends restrictions whose time is over, on every node within a second. */
export async function endPastRestrictions(deps: { db: Database }, nowMs: number): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const wabaIds = await listParkedPast(tx, RESTRICTED, new Date(nowMs));
    if (wabaIds.length === 0) return;
    await lockWabas(tx, wabaIds);
    await lockNumbers(tx, wabaIds);
    for (const wabaId of await clearParkedPast(tx, RESTRICTED, new Date(nowMs), wabaIds)) {
      const waba = await findWabaById(tx, wabaId);
      if (waba !== undefined) await publishWaba(tx, waba);
    }
  });
}

/** Returns the account of a change. Changes about partners arrive under the partner's own business; their value names the account. */
function accountOf({ wabaId, value }: AccountChange): string {
  const named = membersOf(value.waba_info).waba_id;
  return typeof named === 'string' && /^\d+$/.test(named) ? named : wabaId;
}

/** Finds the accounts and numbers of these changes, and locks the numbers. */
async function findConcerned(tx: Queryable, changes: readonly AccountChange[], nowMs: number): Promise<Followed[]> {
  const judged = changes.flatMap((change) => {
    const verdict = judgeAccountChange(change.field, change.value, nowMs);
    return verdict === undefined ? [] : [{ change, verdict, wabaId: accountOf(change) }];
  });
  if (judged.length === 0) return [];
  const wabaIds = [...new Set(judged.map(({ wabaId }) => wabaId))];
  await lockNumbers(tx, wabaIds);
  const wabas = await findWabasById(tx, wabaIds);
  const numbersOf = new Map<string, SendingNumber[]>();
  for (const { organizationId, wabaId } of wabas.values()) {
    numbersOf.set(wabaId, await listNumbersOfWaba(tx, organizationId, wabaId));
  }
  return judged.flatMap(({ change, verdict, wabaId }) => {
    const waba = wabas.get(wabaId);
    const numbers = numbersOf.get(wabaId) ?? [];
    const { phoneNumber } = verdict;
    // A number that was removed and added again occurs twice with the same digits.
    const bearers = numbers.filter((candidate) => candidate.phoneNumber === phoneNumber);
    const number = bearers.findLast((bearer) => bearer.registered) ?? bearers.at(-1);
    // A change that names an unknown number concerns no other number.
    const concerned = phoneNumber === undefined ? numbers : number === undefined ? [] : [number];
    return waba === undefined ? [] : [{ change, verdict, waba, number, concerned }];
  });
}

/** Sets the reported fields of numbers, in the order given. Returns the ids of the changed numbers, by change id. */
async function updateNumbers(
  tx: Queryable,
  followed: readonly Followed[],
  nowMs: number,
): Promise<Map<string, Set<string>>> {
  const telling = followed.filter(({ verdict }) => Object.keys(verdict.update).length > 0);
  const numberIds = new Set(telling.flatMap(({ concerned }) => concerned.map(({ numberId }) => numberId)));
  const stand = new Map((await listTold(tx, [...numberIds])).map((number) => [number.numberId, number]));
  const told = new Set<ToldOfNumber>();
  const updated = new Map<string, Set<string>>();
  for (const { change, verdict, concerned } of telling) {
    const changed = new Set<string>();
    for (const { numberId, phoneNumberId } of concerned) {
      const number = stand.get(numberId);
      if (number === undefined) continue;
      const { isNews, isChange } = tell(number, verdict.update, toldAt(change, nowMs));
      if (isNews) told.add(number);
      if (isChange) changed.add(phoneNumberId);
    }
    updated.set(change.id, changed);
  }
  await storeTold(tx, [...told], new Date(nowMs));
  return updated;
}

/** Applies a report of time `at` to a number, unless a later one was applied. Returns if it was applied, and if it changed a value. */
function tell(number: ToldOfNumber, update: NumberUpdate, at: Date): { isNews: boolean; isChange: boolean } {
  let [isNews, isChange] = [false, false];
  for (const matter of ['throughputLevel', 'messagingLimit', 'verifiedName'] as const) {
    const value = update[matter];
    if (value === undefined || (number.toldAt[matter] ?? at) > at) continue;
    isNews = true;
    isChange ||= number.values[matter] !== value;
    number.values[matter] = value;
    number.toldAt[matter] = at;
  }
  return { isNews, isChange };
}

/**
 * Parks or unparks according to a change. Returns false if that changes nothing: a later report was applied already, or the change parks
 * nothing.
 */
async function applyParking(
  tx: Queryable,
  { change, verdict, waba, number }: Followed,
  nowMs: number,
): Promise<boolean> {
  const { about, parking, phoneNumber } = verdict;
  if (parking === undefined) return false;
  if (about === 'number' && parking.kind === 'unpark')
    return number !== undefined && (await clearNumberParkedWith(tx, number.phoneNumberId, parking.codes));
  const matter = change.field === 'account_review_update' ? 'review' : 'ban';
  const told = toldAt(change, nowMs);
  if (parking.kind === 'unpark') {
    if (!(await noteWabaStanding(tx, waba.wabaId, matter, told))) return false;
    if (matter === 'review') await noteReviewBesideBan(tx, waba.wabaId, false);
    await clearParkedWith(tx, waba.wabaId, parking.codes);
    return true;
  }
  const [now, until] = [new Date(nowMs), parking.untilMs === null ? null : new Date(parking.untilMs)];
  if (phoneNumber === undefined) {
    if (!(await noteWabaStanding(tx, waba.wabaId, matter, told))) return false;
    if (matter === 'review' && (await noteReviewBesideBan(tx, waba.wabaId, true))) return true;
    await parkWabaUntil(tx, waba.wabaId, parking, until, now);
    return true;
  }
  if (number === undefined || !(await noteNumberStanding(tx, number.phoneNumberId, told))) return false;
  await parkNumberUntil(tx, number.phoneNumberId, parking, until, now);
  return true;
}

/** Returns the time of the change according to the upstream, limited to now, because its clock may be ahead. */
function toldAt(change: AccountChange, nowMs: number): Date {
  return new Date(Math.min(change.atMs ?? nowMs, nowMs));
}

/** Returns the event of the change, and one for each number that a change of the whole account has changed. */
function eventsOf(followed: Followed, updated: ReadonlySet<string> | undefined, nowMs: number): NewEvent[] {
  const { verdict, concerned } = followed;
  const event = toEvent(followed, nowMs);
  const others = verdict.about === 'number' ? [] : concerned.filter((one) => updated?.has(one.phoneNumberId));
  return [event, ...others.map((one) => toNumberEvent(event, one))];
}

function toEvent({ change, verdict, waba, number }: Followed, nowMs: number): NewEvent {
  return {
    id: change.id,
    organizationId: waba.organizationId,
    type: verdict.about === 'number' ? 'number.updated' : 'account.updated',
    wabaId: waba.wabaId,
    numberId: number?.numberId,
    occurredAtMs: change.atMs ?? nowMs,
    detail: JSON.stringify({ ...verdict.detail, phone_number: verdict.phoneNumber }),
    upstream: { field: change.field, value: change.raw },
  };
}

/** Returns the event of a number for a change of the whole account. */
function toNumberEvent({ upstream: _, ...event }: NewEvent, number: SendingNumber): NewEvent {
  return {
    ...event,
    id: digestUuidBeside(event.id, number.phoneNumberId),
    type: 'number.updated',
    numberId: number.numberId,
    detail: JSON.stringify({ ...(JSON.parse(event.detail) as object), phone_number: number.phoneNumber }),
  };
}
