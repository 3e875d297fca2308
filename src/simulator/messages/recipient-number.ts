import { GraphError, invalidParameter } from '../graph/graph-errors.ts';

/** Returns the user's id on the platform for a dialled number, digits only. The platform adds or drops mobile prefixes. */
export function waIdOf(digits: string): string {
  // Brazil: the ninth digit of a mobile number is dropped. Mexico: a mobile number carries a 1 after the country code.
  if (/^55\d{2}9\d{8}$/.test(digits)) return digits.slice(0, 4) + digits.slice(5);
  if (/^52[2-9]\d{9}$/.test(digits)) return `521${digits.slice(2)}`;
  return digits;
}

/**
 * Reads a `to` value and returns its digits. Strips separators; without a leading `+` the sender's own country code is added, if known.
 * Raises 100 for a missing value and 131009 for a malformed number.
 */
export function dialledDigits(to: unknown, senderDialCode?: string): string {
  if (to === undefined || to === null || to === '') throw invalidParameter('The parameter to is required.');
  const text = String(to).trim();
  if (/[^\d+\-(). ]/.test(text)) throw malformedRecipient(text);
  const digits = text.replace(/\D/g, '');
  const full = text.startsWith('+') || senderDialCode === undefined ? digits : senderDialCode + digits;
  if (full.length < 7 || full.length > 15) throw malformedRecipient(text);
  return full;
}

function malformedRecipient(text: string): GraphError {
  return new GraphError(131009, { details: `to is not a valid phone number: ${text.slice(0, 40)}` });
}

/** Returns true if `text` is a business-scoped user id, the user's own or a parent one. */
export function isScopedUserId(text: string): boolean {
  return /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(text);
}

/** Returns the business-scoped user id of a phone user, always the same for one user. */
export function scopedUserIdOf(waId: string): string {
  return `US.1${waId.padStart(19, '0')}`;
}
