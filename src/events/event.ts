import type { EventPosition } from './event-cursor.ts';
import type { EventType } from './event-types.ts';

/** What an event about a message says. Times are epoch milliseconds; texts as the upstream or the caller gave them. */
export interface MessageFacts {
  messageId: string;
  direction: 'outbound' | 'inbound';
  messageType: string;
  /** The person's number, digits; null for people known by user id alone. */
  contact: string | null;
  templateName: string | null;
  templateLanguage: string | null;
  callbackData: string | null;
  wamid: string | null;
  /** The upstream's own word in its answer to the send; null in every other event. */
  upstreamStatus: string | null;
  category: string | null;
  pricingType: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  /** The upstream's message object as received; inbound messages only. */
  inboundMessage: string | null;
}

/** The number an event belongs to. */
interface NumberFacts {
  phoneNumberId: string;
  accountId: string;
  /** Digits with country code. */
  phoneNumber: string;
}

/** A committed event, with all it takes to route and render it. */
export interface Event {
  /** `evt_…`: what `webhook-id` is. */
  id: string;
  organizationId: string;
  type: EventType;
  /** 1, 2, 3 … per message; 1 for events about anything else. */
  sequence: number;
  /** When it happened, by the clock of whoever told of it. */
  occurredAtMs: number;
  wabaId: string | null;
  number: NumberFacts | null;
  message: MessageFacts | null;
  /** What an event about anything but a message says: a JSON object as text. */
  detail: string | null;
  /** The webhook field the upstream told it under. */
  upstreamField: string | null;
  /** The members of that field's value as received (for `messages`: without what is the same for all): a JSON object as text. */
  upstreamValue: string | null;
  /** Where reading goes on after it. */
  position: EventPosition;
}
