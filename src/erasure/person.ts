import { invalid } from '../core/errors.ts';
import { isUserId } from '../core/ids.ts';
import { conversationKeyOf, digitsOf, spellingsOf } from '../core/phone-number.ts';
import type { Queryable } from '../database/database.ts';
import { findStoredPeople, phoneNumberOf } from '../people/index.ts';
import { listUserIds } from './person-queries.ts';

const PHONE_NUMBER = /^\+?[ \-.()]*[1-9](?:[ \-.()]*[0-9]){4,14}$/;

/** A person of an organization under all names that are stored. */
export interface KnownPerson {
  /** Phone numbers in every spelling, then user ids; the given name comes first. */
  names: string[];
  phoneNumbers: string[];
  userIds: string[];
  /** Values of `contact` in messages. */
  contacts: string[];
  /** Keys in queues and windows. */
  keys: string[];
}

/**
 * Finds a person by a phone number in any spelling, or by a user id. A name that is stored nowhere is a person without data. Raises
 * VALIDATION_ERROR for any other text.
 */
export async function findPerson(db: Queryable, organizationId: string, text: string): Promise<KnownPerson> {
  const isNumber = PHONE_NUMBER.test(text);
  if (!isNumber && !isUserId(text)) {
    throw invalid('The person must be a phone number with country code, or a user id.');
  }
  const name = isNumber ? conversationKeyOf(digitsOf(text)) : text;
  const { contacts, keys } = await findStoredPeople(db, organizationId, [name]);
  const userIds = await listUserIds(db, organizationId, keys);
  const phoneNumbers = [
    ...new Set([...(isNumber ? spellingsOf(name) : []), ...contacts.filter((one) => phoneNumberOf(one) !== null)]),
  ];
  const ownIds = [...new Set([...(isNumber ? [] : [name]), ...userIds])];
  const names = [...new Set([name, ...phoneNumbers, ...ownIds])];
  return { names, phoneNumbers, userIds: ownIds, contacts, keys };
}
