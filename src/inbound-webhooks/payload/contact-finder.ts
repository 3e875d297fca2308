import type { PersonNames } from '../../people/index.ts';
import { digits, textOf } from './upstream-values.ts';

/** Ids of one person, each undefined or empty if the webhook does not state it. */
export interface PersonIds {
  number: unknown;
  userId: unknown;
  parentUserId: unknown;
}

type Contact = Readonly<Record<string, unknown>>;

/**
 * Returns a function that finds the index of a person's entry in `contacts`. An entry belongs to a person if the number, the user id or
 * the parent user id is equal; an empty id equals none. Neither its position nor being the only entry assigns it to a person.
 */
export function contactFinder(contacts: readonly Contact[]): (person: PersonIds) => number | undefined {
  const byNumber = indexBy(contacts, 'wa_id');
  const byUserId = indexBy(contacts, 'user_id');
  const byParentUserId = indexBy(contacts, 'parent_user_id');
  return ({ number, userId, parentUserId }) =>
    byNumber.get(number) ?? byUserId.get(userId) ?? byParentUserId.get(parentUserId);
}

/** Returns the ids of the person that an item of `messages` is from. */
export function senderOf(message: Contact): PersonIds {
  return { number: message.from, userId: message.from_user_id, parentUserId: message.from_parent_user_id };
}

/** Returns the ids of the person that an item of `statuses` is about. */
export function recipientOf(status: Contact): PersonIds {
  return {
    number: status.recipient_id,
    userId: status.recipient_user_id,
    parentUserId: status.recipient_parent_user_id,
  };
}

/** Returns all names of a person: those of an item, and those of the person's entry in `contacts`, if there is one. */
export function personNames({ number, userId, parentUserId }: PersonIds, contact: Contact = {}): PersonNames {
  const present = (names: (string | undefined)[]) => [...new Set(names.filter((name) => name !== undefined))];
  return {
    numbers: present([digits(number), digits(contact.wa_id)]),
    userIds: present([textOf(userId), textOf(contact.user_id)]),
    parentUserIds: present([textOf(parentUserId), textOf(contact.parent_user_id)]),
  };
}

function indexBy(contacts: readonly Contact[], member: string): Map<unknown, number> {
  const indexes = new Map<unknown, number>();
  for (const [index, contact] of contacts.entries()) {
    const id = textOf(contact[member]);
    if (id !== undefined && !indexes.has(id)) indexes.set(id, index);
  }
  return indexes;
}
