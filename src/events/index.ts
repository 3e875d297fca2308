export type { Event, MessageFacts, NumberFacts } from './event.ts';
export { decodeCursor, type EventPosition, encodeCursor, FIRST_POSITION, positionBefore } from './event-cursor.ts';
export { type EventKey, eventId, parseEventId } from './event-id.ts';
export {
  EVENT_TYPES,
  type EventType,
  eventTypeNumber,
  isEventType,
  type ResourceEventType,
  TOLD_BIT,
} from './event-types.ts';
export { listEventsByKey, type NewEvent, readCommittedEvents, readHorizon, recordEvents } from './queries.ts';
