import { digestUuid } from '../core/ids.ts';
import { conversationKeyOf } from '../core/phone-number.ts';

/**
 * Returns the id of a conversation, stable for a sending number and a person (api-rules#message). `person` is the name of the person's
 * conversation (`Person.name`), the person's number in any spelling, or another name of the writer (`writerOf`); null if there is
 * none.
 */
export function conversationId(accountId: string, person: string | null): string {
  return digestUuid('conversation', accountId, person === null ? 'unknown' : conversationKeyOf(person));
}

/**
 * Names the writer of a message that came without a number, given the platform's message object. The name is the user id of a person with
 * a hidden number, otherwise the value in the number's place. Null if there is neither.
 */
export function writerOf(message: Readonly<Record<string, unknown>>): string | null {
  for (const name of [message.from_user_id, message.from]) if (typeof name === 'string' && name !== '') return name;
  return null;
}
