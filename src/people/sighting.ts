import { conversationKeyOf } from '../core/phone-number.ts';

/** Names of one person as one report of the platform gives them. Names that it leaves out, or gives as empty, are absent. */
export interface PersonNames {
  /** Phone numbers, digits. */
  numbers: readonly string[];
  /** User ids within the business. */
  userIds: readonly string[];
  /** User ids that are shared by linked businesses. */
  parentUserIds: readonly string[];
}

/** A report of the platform about one person, to a number of the account. */
export interface Sighting extends PersonNames {
  organizationId: string;
  wabaId: string;
  /** Epoch ms. */
  atMs: number;
  /** Those of the numbers that the platform states the person had until now, whatever other ids were reported with them. */
  formerNumbers?: readonly string[];
}

/** Kinds of names, by their number in the database. */
export const ALIAS_KINDS = { number: 0, userId: 1, parentUserId: 2 } as const;

/** A person of an account. */
export interface Person {
  /** The person's key in queues and windows, decimal digits: see `isRecordNumber`. */
  number: string;
  /** The name that the ids of the person's conversations are made from. */
  name: string;
}

/** Phone numbers have at most 15 digits, and numbers of records at least 16. */
const RECORD_NUMBER_MIN = 1e15;

/** True if a person's key is the number of a record, and not the conversation key of a phone number. */
export function isRecordNumber(number: string | number): boolean {
  return Number(number) >= RECORD_NUMBER_MIN;
}

/** Returns the number of a message's person as it may be shown: digits, or null if `contact` is the number of a record. */
export function phoneNumberOf(contact: string | number | null): string | null {
  return contact === null || isRecordNumber(contact) ? null : String(contact);
}

/** Returns all names of a sighting as aliases. */
export function aliasesOf({ numbers, userIds, parentUserIds }: PersonNames): string[] {
  return [...new Set([...numbers.map(conversationKeyOf), ...userIds, ...parentUserIds])];
}
