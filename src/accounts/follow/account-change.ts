import { membersOf } from '../../core/json/index.ts';
import type { Queryable } from '../../database/database.ts';

/** A change that a webhook reports about a WABA: templates, numbers, account. `value` is a parsed view, `rawOf` gives exact spellings. */
export interface AccountChange {
  /**
   * A UUID that is equal for repeated reports of the same change, in one payload or in several. It sorts by the time of the change, so that
   * events of one transaction are delivered in that order.
   */
  id: string;
  wabaId: string;
  field: string;
  /** Time of the change according to the upstream, epoch ms; undefined if it gives none. */
  atMs: number | undefined;
  value: Record<string, unknown>;
  /** The value exactly as received. */
  raw: string;
  /** The raw text of a member of `value`, for ids that exceed a JSON number. */
  rawOf(member: string): string | undefined;
}

/** A module's part in the changes that webhooks report about accounts. */
export interface Follower {
  /** The webhook fields whose changes have events of their own here. A field of no follower becomes `upstream.other`. */
  readonly fields: readonly string[];
  /** Applies the changes it knows, within the caller's transaction; gets each change of any field once. */
  follow(tx: Queryable, changes: readonly AccountChange[], nowMs: number): Promise<void>;
}

/** Fields of a number that the upstream reported. Absent members stay as they are. */
export interface NumberUpdate {
  throughputLevel?: string;
  messagingLimit?: string;
  verifiedName?: string;
}

type ParkingChange =
  /** Messages wait until `untilMs` (epoch ms), or with null until an operator or the upstream acts. */
  | { kind: 'park'; code: string; reason: string; untilMs: number | null }
  /** Ends a parking with one of these codes. */
  | { kind: 'unpark'; codes: readonly string[] };

/** A webhook's report about an account or a number, with its consequences. */
export interface AccountVerdict {
  about: 'number' | 'account';
  /** Digits of the number concerned; undefined if the whole account is. */
  phoneNumber: string | undefined;
  update: NumberUpdate;
  parking: ParkingChange | undefined;
  /** Members of the event's detail. */
  detail: Record<string, string | number | null>;
}

export const RESTRICTED = 'ACCOUNT_RESTRICTED';
export const DISABLED = 'ACCOUNT_DISABLED';
export const DELETED = 'ACCOUNT_DELETED';
/** Parking of an account that the platform's review has rejected. */
export const REJECTED = {
  code: 'ACCOUNT_REJECTED',
  reason: 'The upstream platform has rejected the account in its review.',
};
/** Codes with which the upstream refuses sends while an account is locked or blocked. */
export const LOCKED_CODES = ['131031', '368'];
/** The code with which the upstream refuses a number whose display name is not approved. */
export const NAME_NOT_APPROVED = '131037';

type Value = Readonly<Record<string, unknown>>;

type Judge = (value: Value, nowMs: number) => AccountVerdict;

/** The judge of each webhook field about accounts and numbers. */
const JUDGES = new Map<string, Judge>([
  ['phone_number_quality_update', judgeQuality],
  ['phone_number_name_update', judgeName],
  ['account_update', judgeAccount],
  ['account_review_update', judgeReview],
  ['business_capability_update', judgeCapability],
]);

/** The webhook fields whose changes `judgeAccountChange` reads. */
export const ACCOUNT_FIELDS: readonly string[] = [...JUDGES.keys()];

/**
 * Reads a change of an account or number; undefined if `field` is about something else. A ban, a deletion, and a restriction that prevents
 * replies to customers park messages. Narrower restrictions do not, because a parked account could not reply to anyone. The upstream's
 * answer to each send decides instead.
 */
export function judgeAccountChange(field: string, value: Value, nowMs: number): AccountVerdict | undefined {
  return JUDGES.get(field)?.(value, nowMs);
}

function judgeQuality(value: Value): AccountVerdict {
  const event = wordOf(value.event);
  const limit = limitOf(value.max_daily_conversations_per_business) ?? limitOf(value.current_limit);
  return {
    about: 'number',
    phoneNumber: digitsOf(value.display_phone_number),
    update: {
      ...(event === 'THROUGHPUT_UPGRADE' && { throughputLevel: 'HIGH' }),
      ...(limit !== null && { messagingLimit: limit }),
    },
    parking: undefined,
    detail: { event, messaging_limit: limit, previous_messaging_limit: limitOf(value.old_limit) },
  };
}

function judgeName(value: Value): AccountVerdict {
  const decision = wordOf(value.decision);
  const name = textOf(value.requested_verified_name);
  return {
    about: 'number',
    phoneNumber: digitsOf(value.display_phone_number),
    update: decision === 'APPROVED' && name !== null ? { verifiedName: name } : {},
    parking: decision === 'APPROVED' ? { kind: 'unpark', codes: [NAME_NOT_APPROVED] } : undefined,
    detail: { event: 'NAME_UPDATE', decision, verified_name: name, rejection_reason: textOf(value.rejection_reason) },
  };
}

function judgeAccount(value: Value, nowMs: number): AccountVerdict {
  const event = wordOf(value.event);
  return {
    about: 'account',
    phoneNumber: digitsOf(value.phone_number),
    update: {},
    parking: parkingOf(event, value, nowMs),
    detail: { event },
  };
}

function parkingOf(event: string | null, value: Value, nowMs: number): ParkingChange | undefined {
  if (event === 'ACCOUNT_DELETED') return park(DELETED, 'The upstream platform says the account was deleted.');
  if (event === 'ACCOUNT_RESTRICTION') return restrictionOf(value, nowMs);
  if (event !== 'DISABLED_UPDATE') return undefined;
  const state = wordOf(membersOf(value.ban_info).waba_ban_state);
  if (state === 'DISABLE') return park(DISABLED, 'The upstream platform has disabled the account.');
  if (state === 'REINSTATE') return { kind: 'unpark', codes: [DISABLED, RESTRICTED, ...LOCKED_CODES] };
  return undefined;
}

/** Returns the parking for a restriction that prevents replies to customers; the longest restriction sets its end. */
function restrictionOf(value: Value, nowMs: number): ParkingChange | undefined {
  const restrictions = Array.isArray(value.restriction_info) ? value.restriction_info.map(membersOf) : [];
  const ends = restrictions
    .filter((restriction) => wordOf(restriction.restriction_type) === 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING')
    .map((restriction) => Number(restriction.expiration ?? Number.NaN) * 1000);
  if (ends.length === 0) return undefined;
  const untilMs = Math.max(...ends);
  if (untilMs <= nowMs) return undefined;
  return { ...park(RESTRICTED, 'The upstream platform has restricted messaging.'), untilMs: timeOrNull(untilMs) };
}

function judgeReview(value: Value): AccountVerdict {
  const decision = wordOf(value.decision);
  const rejected = park(REJECTED.code, REJECTED.reason);
  const parking: ParkingChange | undefined =
    decision === 'REJECTED'
      ? rejected
      : decision === 'APPROVED'
        ? { kind: 'unpark', codes: [REJECTED.code] }
        : undefined;
  return {
    about: 'account',
    phoneNumber: undefined,
    update: {},
    parking,
    detail: { event: 'REVIEW_UPDATE', decision },
  };
}

function judgeCapability(value: Value): AccountVerdict {
  const limit = limitOf(value.max_daily_conversations_per_business);
  return {
    about: 'account',
    phoneNumber: undefined,
    update: limit === null ? {} : { messagingLimit: limit },
    parking: undefined,
    detail: {
      event: 'CAPABILITY_UPDATE',
      messaging_limit: limit,
      numbers_max: numberOf(value.max_phone_numbers_per_waba) ?? numberOf(value.max_phone_numbers_per_business),
    },
  };
}

function park(code: string, reason: string): ParkingChange & { kind: 'park' } {
  return { kind: 'park', code, reason, untilMs: null };
}

function timeOrNull(epochMs: number): number | null {
  return epochMs < Date.UTC(2100, 0) ? epochMs : null;
}

/** Returns a word of the platform in upper case; null if the value is not a word. */
export function wordOf(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Za-z_]{1,64}$/.test(value) ? value.toUpperCase() : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && !value.includes('\0') ? value.slice(0, 512) : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}

/** Returns a messaging limit: one of the platform's tiers, or a number of people per day. */
function limitOf(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Z0-9_]{1,32}$/.test(value) ? value : (numberOf(value)?.toString() ?? null);
}

function digitsOf(value: unknown): string | undefined {
  const digits = typeof value === 'string' ? value.replace(/\D/g, '') : '';
  return digits === '' ? undefined : digits;
}
