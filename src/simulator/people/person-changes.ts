import { digitsOf } from '../../core/phone-number.ts';
import type { JsonObject } from '../graph/json-object.ts';
import { announceNow, type Platform } from '../platform.ts';
import type { PhoneNumber } from '../records.ts';
import { metadataOf } from '../webhooks/status-webhooks.ts';
import type { WebhookDelivery } from '../webhooks/webhook-sender.ts';
import { personNamed, phoneMember, scopeOf, userIdMembers, visibleWaId } from './identity.ts';
import { type Person, userIdOf } from './person.ts';
import { spellingsOf } from './phone-spellings.ts';

/** Webhook about a person's new number or user id. */
export type PersonNotice = 'user_changed_number' | 'user_changed_user_id' | 'user_id_update';
export const personNotices: readonly PersonNotice[] = ['user_changed_number', 'user_changed_user_id', 'user_id_update'];

export interface PersonProfile {
  name?: string;
  /** `null` gives the user name up, which shows the phone again. */
  username?: string | null;
  /** ISO code in front of the user ids; default `US`. A new one changes the ids without a webhook. */
  country?: string;
  /** Digits that the platform reports: one of the two spellings of the number. */
  waId?: string;
}

export interface PersonSeed extends PersonProfile {
  phone: string;
}

export interface PersonChange extends PersonProfile {
  /** A new number. The person gets new user ids, and nobody has the old number until another person is created with it. */
  phone?: string;
  /** Gives the person new user ids under the same number. */
  newUserId?: boolean;
  /**
   * True: the person has a user name, and 30 days pass in which no number exchanges anything with the phone and every contact book loses it. A
   * message to the phone shows it again. False: gives the user name up.
   */
  hidesPhone?: boolean;
  /** Webhooks of a new number or user id; default all that apply. */
  notices?: readonly PersonNotice[];
}

/** Creates a record of the person with this number. Raises an ordinary error if another record has the number. */
export function createPerson(platform: Platform, { phone, ...profile }: PersonSeed): Person {
  const person = platform.people.add(digitsOf(phone));
  setProfile(person, profile);
  return person;
}

/**
 * Changes a person, named by phone or user id, and posts the webhooks of a new number or user id to every number that has exchanged messages
 * with the person. Resolves once they were answered 200 or given up.
 */
export async function changePerson(
  platform: Platform,
  reference: string,
  { phone, newUserId, hidesPhone, notices = personNotices, ...profile }: PersonChange,
): Promise<{ person: Person; deliveries: WebhookDelivery[] }> {
  const person = platform.people.record(personNamed(platform, reference));
  const before = seenBefore(platform, person);
  if (phone !== undefined) platform.people.move(person, digitsOf(phone));
  if (phone !== undefined || newUserId) person.idVersion += 1;
  setProfile(person, profile);
  if (hidesPhone === true) {
    person.username ??= `user.${person.phone.slice(-4)}`;
    platform.contacts.forgetPhone(person);
  }
  if (hidesPhone === false) person.username = null;
  if (phone === undefined && !newUserId) return { person, deliveries: [] };
  const deliveries: WebhookDelivery[] = [];
  for (const seen of before) {
    for (const notice of notices) deliveries.push(...(await postNotice(platform, person, seen, notice)));
  }
  return { person, deliveries };
}

function setProfile(person: Person, { name, username, country, waId }: PersonProfile): void {
  if (waId !== undefined && !spellingsOf(person.phone).includes(waId)) {
    throw new Error(`${waId} is not a spelling of ${person.phone}.`);
  }
  Object.assign(
    person,
    name === undefined ? {} : { name },
    username === undefined ? {} : { username },
    country === undefined ? {} : { country },
    waId === undefined ? {} : { waId },
  );
}

/** The names under which a number knew a person before a change. */
interface Seen {
  number: PhoneNumber;
  waId: string | null;
  /** `from`, if visible, and the user ids of a message. */
  sender: JsonObject;
  userId: string;
}

function seenBefore(platform: Platform, person: Person): Seen[] {
  return platform.contacts.numbersOf(person).flatMap((id) => {
    const number = platform.world.findNumber(id);
    if (number === undefined) return [];
    const waId = visibleWaId(platform, number, person);
    const sender = { ...phoneMember(platform, 'from', waId), ...userIdMembers(platform, number, person, 'from_') };
    return [{ number, waId, sender, userId: userIdOf(person, scopeOf(platform, number.wabaId)) }];
  });
}

/** Posts one notice to one number. Returns no delivery without a subscription, or for a number that sees no new phone. */
async function postNotice(
  platform: Platform,
  person: Person,
  { number, waId: previousWaId, sender, userId: previous }: Seen,
  notice: PersonNotice,
): Promise<WebhookDelivery[]> {
  const waId = visibleWaId(platform, number, person);
  const current = userIdOf(person, scopeOf(platform, number.wabaId));
  const timestamp = String(Math.floor(platform.clock.now() / 1000));
  const shownPhone = phoneMember(platform, 'wa_id', waId);
  if (notice === 'user_id_update') {
    const update = {
      detail: `User id for ${person.name} has been updated.`,
      user_id: { previous, current },
      timestamp,
    };
    return post(platform, number, 'user_id_update', {
      contacts: [{ profile: { name: person.name }, ...shownPhone }],
      user_id_update: [{ ...shownPhone, ...update }],
    });
  }
  const isNumberChange = notice === 'user_changed_number';
  if (isNumberChange && (waId === null || previousWaId === null || waId === previousWaId)) return [];
  const [from, to] = isNumberChange ? [previousWaId, waId] : [previous, current];
  const body = `User ${person.name} changed from ${from} to ${to}`;
  const system = { body, ...shownPhone, ...(isNumberChange ? {} : { user_id: current }), type: notice };
  const id = platform.ids.wamid(person.waId);
  platform.conversations.recordReceived(number.id, id);
  return post(platform, number, 'messages', { messages: [{ ...sender, id, timestamp, type: 'system', system }] });
}

async function post(platform: Platform, number: PhoneNumber, field: string, members: JsonObject) {
  const value = { messaging_product: 'whatsapp', metadata: metadataOf(number), ...members };
  const delivery = await announceNow(platform, { wabaId: number.wabaId, field, value });
  return delivery === null ? [] : [delivery];
}
