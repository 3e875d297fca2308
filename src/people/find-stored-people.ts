import { conversationKeyOf, spellingsOf } from '../core/phone-number.ts';
import type { Queryable } from '../database/database.ts';
import { listNamesakes } from './queries.ts';
import { ALIAS_KINDS, isRecordNumber } from './sighting.ts';

/** A person's place in stored messages. */
export interface StoredPerson {
  /** Values of `contact` in messages: the person's numbers in every spelling, and keys of records. */
  contacts: string[];
  /** Keys in queues and windows. */
  keys: string[];
  userIds: string[];
}

/**
 * Finds the people with any of these names in an organization, in all its accounts: digits of phone numbers in any spelling, or user ids.
 * A phone number that is not known otherwise stands for itself.
 */
export async function findStoredPeople(
  db: Queryable,
  organizationId: string,
  names: readonly string[],
): Promise<StoredPerson> {
  const aliases = names.map((name) => (isNumber(name) ? conversationKeyOf(name) : name));
  const known = await listNamesakes(db, organizationId, aliases);
  const keys = new Set([...aliases.filter(isNumber), ...known.map(({ person }) => person)]);
  const numbers = [...keys, ...known.flatMap(({ kind, alias }) => (kind === ALIAS_KINDS.number ? [alias] : []))];
  const contacts = numbers.flatMap((number) => (isRecordNumber(number) ? [number] : spellingsOf(number)));
  const userIds = known.flatMap(({ kind, alias }) => (kind === ALIAS_KINDS.userId ? [alias] : []));
  return { contacts: [...new Set(contacts)], keys: [...keys], userIds: [...new Set(userIds)] };
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name);
}
