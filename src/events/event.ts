import type { MessageOrigin } from '../core/message-origins.ts';
import type { EventPosition } from './event-cursor.ts';
import type { EventType } from './event-types.ts';

/** Contents of an event about a message. Times are epoch milliseconds; texts are as received from the upstream or the caller. */
export interface MessageFacts {
  messageId: string;
  direction: 'outbound' | 'inbound';
  origin: MessageOrigin;
  messageType: string;
  /** The person's number, digits; null for people known only by user id. */
  contact: string | null;
  /** The name of the person's conversation, if it is not `contact`. */
  person: string | null;
  /** The person's user id, if known. */
  userId: string | null;
  /** The group that an inbound message was written in; null outside of groups. */
  groupId: string | null;
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
  /** The sent message that an inbound one quotes or reacts to; undefined unless looked up by `linkMessages`. */
  quoted?: { messageId: string; wamid: string } | undefined;
  /** The platform's contact object of the recipient, JSON text; undefined unless looked up by `linkMessages`. */
  recipientCard?: string | undefined;
}

/** The number an event belongs to. */
interface NumberFacts {
  numberId: number;
  phoneNumberId: string;
  accountId: string;
  /** Digits with country code. */
  phoneNumber: string;
}

/** A committed event, with everything needed to route and render it. */
export interface Event {
  /** `evt_…`: the value of `webhook-id`. */
  id: string;
  organizationId: string;
  type: EventType;
  /** 1, 2, 3 … per message; 1 for events about anything else. */
  sequence: number;
  /** Time of the event, by the clock of its source. */
  occurredAtMs: number;
  wabaId: string | null;
  number: NumberFacts | null;
  message: MessageFacts | null;
  /** Contents of an event that is not about a message: a JSON object as text. */
  detail: string | null;
  /** The webhook field in which the upstream reported it. */
  upstreamField: string | null;
  /** The members of that field's value as received, a JSON object as text; for `messages` without the members common to all. */
  upstreamValue: string | null;
  /** Position from which reading continues after it. */
  position: EventPosition;
}
