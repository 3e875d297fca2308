import type { JsonObject } from '../graph/json-object.ts';
import type { Platform } from '../platform.ts';
import type { PhoneNumber } from '../records.ts';
import { type IdScope, isUserId, type Person, parentUserIdOf, userIdOf } from './person.ts';

/** Returns the person with this number, or with this present user id in any account. Raises an ordinary error if there is none. */
export function personNamed({ people, world }: Platform, reference: string): Person {
  const person = isUserId(reference)
    ? world.listWabas().flatMap((waba) => people.findByUserId(reference, waba) ?? [])[0]
    : people.findByPhone(reference.replace(/\D/g, ''));
  if (!person) throw new Error(`Nobody is known as ${reference}.`);
  return person;
}

/** Returns the key of a conversation: the person's, however named, or the id of a group. */
export function conversationNamed(platform: Platform, reference: string): string {
  const isGroup = /[A-Za-z]/.test(reference) && !isUserId(reference);
  return isGroup ? reference : personNamed(platform, reference).key;
}

/** Returns the scope of the user ids that an account's webhooks carry. */
export function scopeOf({ world }: Platform, wabaId: string): IdScope {
  return world.findWaba(wabaId) ?? { portfolioId: wabaId, parentPortfolioId: null };
}

/**
 * Returns the digits under which a number's webhooks show a person, or null if they hide the phone: the person has a user name, the number
 * exchanged nothing with the phone for 30 days, and the account's contact book does not have it.
 */
export function visibleWaId({ world, contacts, clock }: Platform, number: PhoneNumber, person: Person): string | null {
  if (person.username === null || contacts.hasSeenPhone(number.id, person, clock.now())) return person.waId;
  const hasBook = world.findWaba(number.wabaId)?.hasContactBook === true;
  return hasBook && contacts.isInBook(number.wabaId, person) ? person.waId : null;
}

/** Records an exchange of messages or a call at `atMs` (epoch); `showsPhone` if it carried the person's phone. */
export function recordExchange(
  { world, contacts }: Platform,
  number: PhoneNumber,
  person: Person,
  { atMs, showsPhone }: { atMs: number; showsPhone: boolean },
): void {
  const hasBook = world.findWaba(number.wabaId)?.hasContactBook === true;
  if (showsPhone) contacts.recordPhone(number.id, hasBook ? number.wabaId : null, person, atMs);
  else contacts.recordMeeting(number.id, person);
}

/** Renders a member that holds a phone. A hidden phone is left out or an empty string, as the setting `absentPhones` says. */
export function phoneMember({ settings }: Platform, key: string, waId: string | null): JsonObject {
  if (waId !== null) return { [key]: waId };
  return settings.absentPhones === 'empty' ? { [key]: '' } : {};
}

/** Renders the members `<prefix>user_id` and, with a parent portfolio, `<prefix>parent_user_id`. */
export function userIdMembers(platform: Platform, number: PhoneNumber, person: Person, prefix = ''): JsonObject {
  const scope = scopeOf(platform, number.wabaId);
  const parent = parentUserIdOf(person, scope);
  return {
    [`${prefix}user_id`]: userIdOf(person, scope),
    ...(parent === null ? {} : { [`${prefix}parent_user_id`]: parent }),
  };
}

/** Renders a member of `contacts`; `waId` is the phone it shows, or null. */
export function contactOf(platform: Platform, number: PhoneNumber, person: Person, waId: string | null): JsonObject {
  return {
    profile: { name: person.name, ...(person.username === null ? {} : { username: person.username }) },
    ...phoneMember(platform, 'wa_id', waId),
    ...userIdMembers(platform, number, person),
  };
}
