export { readCommittedEvents, readEventsBetween, readHorizon } from './commit-order-queries.ts';
export type { Event, MessageFacts } from './event.ts';
export { conversationOf } from './event-conversation.ts';
export { decodeCursor, type EventPosition, encodeCursor, FIRST_POSITION } from './event-cursor.ts';
export { type EventKey, eventId, parseEventId } from './event-id.ts';
export {
  EVENT_TYPES,
  type EventType,
  eventTypeNumber,
  eventTypeOf,
  heldBackSql,
  isEventType,
  isHeldBack,
  TOLD_BIT,
} from './event-types.ts';
export { EventWatch } from './event-watch.ts';
export { webhookOperations } from './payload-schemas.ts';
export { type EventRef, listEventsByKey, listEventsOfMessage, readEventsByRef } from './queries.ts';
export { type NewEvent, recordEvents } from './record-queries.ts';
export { renderEvent } from './render-event.ts';
export { type MessageIds, renderUpstreamPayload } from './render-upstream-payload.ts';
export { eventRoutes } from './routes.ts';
