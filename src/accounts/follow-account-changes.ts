import { digestUuidBeside } from '../core/ids.ts';
import { isObject } from '../core/json/index.ts';
import { publishChanges } from '../database/change-feed.ts';
import type { Database, Queryable } from '../database/database.ts';
import { type NewEvent, recordEvents } from '../events/index.ts';
import {
  type AccountChange,
  type AccountVerdict,
  judgeAccountChange,
  type ParkingChange,
  RESTRICTED,
} from './account-change.ts';
import { listWabaOwners, noteNumberStanding, noteWabaStanding, updateToldNumbers } from './followed-change-queries.ts';
import { publishWaba } from './park-account.ts';
import { clearParkedPast, clearParkedWith, parkNumberUntil, parkWabaUntil } from './parking-queries.ts';
import { findWabaById, listNumbersOfWaba } from './queries.ts';
import type { SendingNumber } from './sending-number.ts';
import type { Waba } from './waba.ts';

/**
 * Applies what webhooks tell about numbers and accounts (quality, name, throughput, limits, bans, reviews) in the caller's
 * transaction, in the order given, with the events that tell of it. Changes of accounts nobody has connected are left out, and what is
 * told of a ban or the like after a later word on it parks nothing: the upstream repeats for days what was not taken at once.
 */
export async function followAccountChanges(
  tx: Queryable,
  changes: readonly AccountChange[],
  nowMs: number,
): Promise<void> {
  for (const change of changes) {
    const verdict = judgeAccountChange(change.field, change.value, nowMs);
    if (verdict === undefined) continue;
    const waba = await findWabaById(tx, accountOf(change));
    if (waba !== undefined) await follow(tx, waba, change, verdict, nowMs);
  }
}

/** Those of these changes that are about accounts somebody has connected. */
export async function listOwnedChanges(tx: Queryable, changes: readonly AccountChange[]): Promise<AccountChange[]> {
  const wabaIds = new Set(changes.flatMap((change) => [change.wabaId, accountOf(change)]));
  const owners = await listWabaOwners(tx, [...wabaIds]);
  return changes.filter((change) => owners.has(change.wabaId) || owners.has(accountOf(change)));
}

/** Lets go on what was restricted until now, on every node within a second. */
export async function endPastRestrictions(deps: { db: Database }, nowMs: number): Promise<void> {
  await deps.db.transaction(async (tx) => {
    for (const wabaId of await clearParkedPast(tx, RESTRICTED, new Date(nowMs))) {
      const waba = await findWabaById(tx, wabaId);
      if (waba !== undefined) await publishWaba(tx, waba);
    }
  });
}

/** Changes about partners come under the partner's own business; the account they are about stands inside. */
function accountOf({ wabaId, value }: AccountChange): string {
  const info = value.waba_info;
  const named = isObject(info) ? info.waba_id : undefined;
  return typeof named === 'string' && /^\d+$/.test(named) ? named : wabaId;
}

async function follow(
  tx: Queryable,
  waba: Waba,
  change: AccountChange,
  verdict: AccountVerdict,
  nowMs: number,
): Promise<void> {
  const numbers = await listNumbersOfWaba(tx, waba.organizationId, waba.wabaId);
  const { phoneNumber, parking, update } = verdict;
  const number = numbers.find((candidate) => candidate.phoneNumber === phoneNumber);
  // A number that is named and not known is nobody else's affair.
  const concerned = phoneNumber === undefined ? numbers : number === undefined ? [] : [number];
  const now = new Date(nowMs);

  const ids = concerned.map((one) => one.phoneNumberId);
  const updated = ids.length === 0 ? [] : await updateToldNumbers(tx, ids, update, now);
  // Of a number that is not known there is nothing to park.
  const parked = phoneNumber === undefined ? waba : number;
  const hasParked = parking !== undefined && (await applyParking(tx, waba, parked, change, parking, nowMs));
  if (hasParked) await publishWaba(tx, waba);
  else await publishChanges(tx, 'number', updated);

  const event = toEvent(waba, change, verdict, number, nowMs);
  const others = verdict.about === 'number' ? [] : concerned.filter((one) => updated.includes(one.phoneNumberId));
  await recordEvents(tx, [event, ...others.map((one) => toNumberEvent(event, one))]);
}

/**
 * Parks `parked`, where there is such a number or WABA, or lets go on what is parked of `waba`. False when that changes nothing: the upstream
 * has told of a later moment already, or there is nothing to park.
 */
async function applyParking(
  tx: Queryable,
  waba: Waba,
  parked: Waba | SendingNumber | undefined,
  change: AccountChange,
  parking: ParkingChange,
  nowMs: number,
): Promise<boolean> {
  const matter = change.field === 'account_review_update' ? 'review' : 'ban';
  const told = new Date(Math.min(change.atMs ?? nowMs, nowMs));
  if (parking.kind === 'unpark') {
    if (!(await noteWabaStanding(tx, waba.wabaId, matter, told))) return false;
    await clearParkedWith(tx, waba.wabaId, parking.codes);
    return true;
  }
  if (parked === undefined) return false;
  const [now, until] = [new Date(nowMs), parking.untilMs === null ? null : new Date(parking.untilMs)];
  if ('phoneNumberId' in parked) {
    if (!(await noteNumberStanding(tx, parked.phoneNumberId, told))) return false;
    await parkNumberUntil(tx, parked.phoneNumberId, parking, until, now);
  } else {
    if (!(await noteWabaStanding(tx, parked.wabaId, matter, told))) return false;
    await parkWabaUntil(tx, parked.wabaId, parking, until, now);
  }
  return true;
}

function toEvent(
  waba: Waba,
  change: AccountChange,
  verdict: AccountVerdict,
  number: SendingNumber | undefined,
  nowMs: number,
): NewEvent {
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

/** What a change of the whole account changed for one of its numbers. */
function toNumberEvent({ upstream: _, ...event }: NewEvent, number: SendingNumber): NewEvent {
  return {
    ...event,
    id: digestUuidBeside(event.id, number.phoneNumberId),
    type: 'number.updated',
    numberId: number.numberId,
    detail: JSON.stringify({ ...(JSON.parse(event.detail) as object), phone_number: number.phoneNumber }),
  };
}
