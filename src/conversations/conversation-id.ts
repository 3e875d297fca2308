import { digestUuid } from '../core/ids.ts';

/** Stable for a sending number and a person (decisions "Messages"). `contact` is the person's number, null when unknown. */
export function conversationId(accountId: string, contact: string | null): string {
  return digestUuid('conversation', accountId, contact ?? 'unknown');
}
