import { digestUuid } from '../core/ids.ts';
import { conversationKeyOf } from '../core/phone-number.ts';

/**
 * Stable for a sending number and a person (decisions "Messages"). `contact` is the person's number in any spelling, null when
 * unknown.
 */
export function conversationId(accountId: string, contact: string | null): string {
  return digestUuid('conversation', accountId, contact === null ? 'unknown' : conversationKeyOf(contact));
}
