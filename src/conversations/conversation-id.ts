import { digestUuid } from '../core/ids.ts';
import { conversationKeyOf } from '../core/phone-number.ts';

/**
 * Stable for a sending number and a person (api-rules#message). `person` is the person's number in any spelling, or whatever else
 * names them (`writerOf`); null when nothing does.
 */
export function conversationId(accountId: string, person: string | null): string {
  return digestUuid('conversation', accountId, person === null ? 'unknown' : conversationKeyOf(person));
}

/**
 * What names the writer of a message that came without a number, given the upstream's message object: the user id of people who hide
 * theirs, else whatever stands where the number should. Null when nothing does.
 */
export function writerOf(message: Readonly<Record<string, unknown>>): string | null {
  for (const name of [message.from_user_id, message.from]) if (typeof name === 'string' && name !== '') return name;
  return null;
}
