import { type Event, type EventType, eventId, FIRST_POSITION } from '../../../src/events/index.ts';

const MESSAGE_ID = '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30';

/** Builds an event about an outbound message. */
export function messageEvent(options: {
  type: Extract<EventType, `message.${string}`>;
  messageId?: string;
  sequence?: number;
  phoneNumberId?: string;
  wabaId?: string;
}): Event {
  const { type, messageId = MESSAGE_ID, sequence = 1 } = options;
  return {
    ...emptyEvent(type, messageId, sequence),
    wabaId: options.wabaId ?? '70',
    number: {
      numberId: 1,
      phoneNumberId: options.phoneNumberId ?? '80',
      accountId: '0199c0de-0000-7000-8000-000000000001',
      phoneNumber: '15550001111',
    },
    message: {
      messageId,
      direction: 'outbound',
      origin: 'api',
      groupId: null,
      person: null,
      userId: null,
      messageType: 'template',
      contact: '15551230001',
      templateName: 'order_update',
      templateLanguage: 'en_US',
      callbackData: 'order 7',
      wamid: 'wamid.A',
      upstreamStatus: null,
      category: 'utility',
      pricingType: null,
      errorCode: null,
      errorMessage: null,
      inboundMessage: null,
    },
  };
}

/** Builds an event about anything but a message. */
export function resourceEvent(options: {
  type: Exclude<EventType, `message.${string}`>;
  wabaId?: string;
  detail?: Record<string, unknown>;
  upstream?: { field: string; value: string };
}): Event {
  return {
    ...emptyEvent(options.type, MESSAGE_ID, 1),
    wabaId: options.wabaId ?? null,
    detail: JSON.stringify(options.detail ?? {}),
    upstreamField: options.upstream?.field ?? null,
    upstreamValue: options.upstream?.value ?? null,
  };
}

function emptyEvent(type: EventType, subjectId: string, sequence: number): Event {
  return {
    id: eventId({ subjectId, sequence }),
    organizationId: '0199c0de-0000-7000-8000-0000000000aa',
    type,
    sequence,
    occurredAtMs: Date.UTC(2026, 10, 2, 10),
    wabaId: null,
    number: null,
    message: null,
    detail: null,
    upstreamField: null,
    upstreamValue: null,
    position: { ...FIRST_POSITION, subjectId, sequence, xid: '1000' },
  };
}
