import { conversationKeyOf, digitsOf } from '../../core/phone-number.ts';
import { type JsonObject, textField } from './json-fields.ts';

/** Names of the recipient of a send in the platform's answer. */
export interface ReportedNames {
  /** Phone numbers, digits; the one that the platform uses comes last. */
  numbers: string[];
  userIds: string[];
}

/**
 * Returns the names in an element of `contacts`: what was dialled, and what the platform calls the person. Undefined if they are one name.
 */
export function reportedNames(contact: JsonObject | null): ReportedNames | undefined {
  if (contact === null) return undefined;
  const [input, waId, userId] = ['input', 'wa_id', 'user_id'].map((member) => textField(contact, member) || undefined);
  if (userId === undefined && (waId === undefined || waId === input || `+${waId}` === input)) return undefined;
  const numbers = [input, waId]
    .filter((text) => text !== undefined)
    .filter(isNumber)
    .map(digitsOf);
  const keys = new Set(numbers.map(conversationKeyOf));
  const userIds = userId === undefined ? [] : [userId];
  return keys.size + userIds.length > 1 ? { numbers, userIds } : undefined;
}

function isNumber(text: string): boolean {
  return /^\+?[ ().-]*[1-9](?:[ ().-]*\d){4,14}$/.test(text);
}
