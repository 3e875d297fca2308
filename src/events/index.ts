export type { Event, MessageFacts } from './event.ts';
export { decodeCursor, type EventPosition, encodeCursor, FIRST_POSITION, positionBefore } from './event-cursor.ts';
export { type EventKey, eventId, parseEventId } from './event-id.ts';
export {
  EVENT_TYPES,
  type EventType,
  eventTypeNumber,
  eventTypeOf,
  heldBackSql,
  isEventType,
  isHeldBack,
  isMessageEvent,
  TOLD_BIT,
  TOLD_ERASED,
} from './event-types.ts';
export { type EventRef, listEventsByKey, listEventsOfMessage, readEventsByRef } from './queries.ts';
export { listEventHeads, readCommittedEvents, readEventsBetween, readHorizon } from './reading/commit-order-queries.ts';
export { EventWatch } from './reading/event-watch.ts';
export { linkQuoted, linkRecipientCards } from './reading/link-queries.ts';
export { addEvents, type NewEvent, recordEvents } from './record-queries.ts';
export { conversationOf } from './rendering/event-conversation.ts';
export { checkFormatChoices, cloudApiBody, type EventForm } from './rendering/event-form.ts';
export { renderEvent } from './rendering/render-event.ts';
export { renderUpstreamPayload } from './rendering/render-upstream-payload.ts';
export { webhookOperations } from './rendering/webhook-operations.ts';
export { eventRoutes } from './routes.ts';
