import { conversationId, writerOf } from '../../conversations/index.ts';
import { readStoredJson } from '../../core/json/index.ts';
import type { Event } from '../event.ts';

/** Returns the conversation of an event, with the id that `GET /v1/messages/{id}` shows; null if the event is not about a message. */
export function conversationOf({ number, message }: Pick<Event, 'number' | 'message'>): string | null {
  if (number === null || message === null) return null;
  const { contact, person: name, groupId, inboundMessage } = message;
  const person =
    groupId ?? name ?? contact ?? (inboundMessage === null ? null : writerOf(readStoredJson(inboundMessage).value));
  return conversationId(number.accountId, person);
}
