import { GraphError, invalidParameter } from '../graph/graph-errors.ts';
import { asString, type JsonObject } from '../graph/json-object.ts';
import type { PeopleBook } from '../people/people-book.ts';
import { type IdScope, isUserId, type Person } from '../people/person.ts';
import { canonicalPhone, waIdOf } from '../people/phone-spellings.ts';
import type { PhoneNumber } from '../records.ts';
import { invalid } from './parameter-checks.ts';

/** The recipient of a message. */
export interface Recipient {
  /** `lost` is a user id in `to`: the platform accepts such a message, and nothing more comes of it. */
  kind: 'phone' | 'user_id' | 'lost';
  /** As sent. */
  input: string;
  /** The `wa_id` or the user id of the answer. */
  reported: string;
  /** The person it reaches; null if the message is lost, or nobody holds the number. */
  person: Person | null;
}

/** Inputs of `readRecipient` besides the body. */
export interface RecipientContext {
  number: PhoneNumber;
  people: PeopleBook;
  /** Scope of the user ids that the number may use. */
  scope: IdScope;
}

/** Returns the recipient of a body; `to` decides if it has both names. Raises the platform's error for a missing, malformed or unknown one. */
export function readRecipient(body: JsonObject, { number, people, scope }: RecipientContext): Recipient {
  const userId = asString(body.recipient);
  if (body.to === undefined && userId !== undefined) {
    const person = isUserId(userId) ? people.findByUserId(userId, scope) : undefined;
    if (person === undefined) throw invalid('recipient is not a valid user id of this business.');
    return { kind: 'user_id', input: userId, reported: userId, person };
  }
  if (typeof body.to === 'string' && isUserId(body.to)) {
    return { kind: 'lost', input: body.to, reported: body.to.replace(/^.*\./, ''), person: null };
  }
  const digits = dialledDigits(body.to, number.countryDialCode ?? undefined);
  const person = people.findByPhone(digits);
  return { kind: 'phone', input: String(body.to), reported: person?.waId ?? waIdOf(digits), person };
}

/** Returns the key of the recipient's conversation and limits, the same for every name of one person. */
export function recipientKey({ person, reported }: Recipient): string {
  return person?.key ?? reported;
}

/** Raises 131021 for the sending number itself, and 131030 for a recipient that a test number may not reach. */
export function checkReachable({ kind, input, person }: Recipient, number: PhoneNumber): void {
  if (person?.phone === canonicalPhone(digitsIn(number.displayPhoneNumber))) throw new GraphError(131021);
  if (number.allowedRecipients === null) return;
  const isAllowed = number.allowedRecipients.some((allowed) => canonicalPhone(digitsIn(allowed)) === person?.phone);
  if (kind !== 'phone' || !isAllowed) {
    throw new GraphError(131030, { details: `${input.slice(0, 40)} is not in the list of allowed recipients.` });
  }
}

/**
 * Reads a `to` value and returns its digits. Strips separators; without a leading `+` the sender's own country code is added, if known.
 * Raises 100 for a missing value and 131009 for a malformed number.
 */
export function dialledDigits(to: unknown, senderDialCode?: string): string {
  if (to === undefined || to === null || to === '') throw invalidParameter('The parameter to is required.');
  const text = String(to).trim();
  if (/[^\d+\-(). ]/.test(text)) throw malformedRecipient(text);
  const digits = digitsIn(text);
  const full = text.startsWith('+') || senderDialCode === undefined ? digits : senderDialCode + digits;
  if (full.length < 7 || full.length > 15) throw malformedRecipient(text);
  return full;
}

const digitsIn = (text: string) => text.replace(/\D/g, '');

function malformedRecipient(text: string): GraphError {
  return new GraphError(131009, { details: `to is not a valid phone number: ${text.slice(0, 40)}` });
}
