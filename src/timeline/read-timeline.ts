import type { Clock } from '../core/time/clock.ts';
import type { Queryable } from '../database/database.ts';
import { AHEAD_MAX, findQueuePlace, listAttempts } from '../dispatch/index.ts';
import { type Event, type EventType, listEventsOfMessage } from '../events/index.ts';
import { messageNotFound } from '../messages/index.ts';
import { listDeliveriesOfEvents } from '../outbound-webhooks/index.ts';
import { findStoredPeople } from '../people/index.ts';
import { findTimelineMessage, type TimelineMessage } from './queries.ts';
import {
  attemptEntry,
  contradictionEntry,
  deliveryEntry,
  eventEntry,
  inOrder,
  type TimelineEntry,
} from './timeline-entry.ts';

export interface TimelineDeps {
  db: Queryable;
  clock: Clock;
  /** Explains, with this node's knowledge, the wait of the first message to a contact of a number. */
  explainWaiting(numberId: number, contact: string): Promise<readonly string[]>;
}

/** Reasons why a queued message waits. Times are epoch ms. */
export interface Waiting {
  reasons: readonly string[];
  nextAttemptAtMs: number | null;
  expiresAtMs: number;
}

export interface Timeline extends Pick<TimelineMessage, 'price' | 'callbackData'> {
  entries: TimelineEntry[];
  /** Undefined once the message has left the queue. */
  waiting: Waiting | undefined;
}

/**
 * Reads the history of a message, oldest first: acceptance, attempts and the upstream's answers, statuses, deliveries of its events. For a
 * queued message it adds the reasons of its wait. Raises NOT_FOUND if the organization does not have the message.
 */
export async function readTimeline(deps: TimelineDeps, organizationId: string, id: string): Promise<Timeline> {
  const message = await findTimelineMessage(deps.db, organizationId, id);
  if (message === undefined) throw messageNotFound();
  const [events, attempts, waiting] = await Promise.all([
    listEventsOfMessage(deps.db, organizationId, id),
    listAttempts(deps.db, organizationId, id),
    readWaiting(deps, organizationId, message),
  ]);
  const refs = events.map(({ position }) => ({ ...position, organizationId }));
  const deliveries = refs.length === 0 ? [] : await listDeliveriesOfEvents(deps.db, organizationId, refs);
  const others = [
    ...attempts.map(attemptEntry),
    ...message.contradictions.map(contradictionEntry),
    ...deliveries.map((delivery) => deliveryEntry(id, delivery)),
  ];
  const { price, callbackData } = message;
  const entries = inOrder([...acceptanceOf(message, events), ...events.map(eventEntry)], others);
  return { entries, waiting, price, callbackData };
}

/** Types of a message's first event. */
const FIRST_TYPES: ReadonlySet<EventType> = new Set([
  'message.queued',
  'message.received',
  'message.standby',
  'message.echoed',
]);

/** Returns the acceptance entry. Events expire before messages, so a missing acceptance event is replaced from the message itself. */
function acceptanceOf(message: TimelineMessage, events: readonly Event[]): TimelineEntry[] {
  const told = events.some(({ type }) => FIRST_TYPES.has(type));
  return told ? [] : [{ atMs: message.acceptedAtMs, what: message.outbound ? 'queued' : 'received', members: {} }];
}

async function readWaiting(
  deps: TimelineDeps,
  organizationId: string,
  message: TimelineMessage,
): Promise<Waiting | undefined> {
  if (!message.queued) return undefined;
  const { keys } = await findStoredPeople(deps.db, organizationId, message.names);
  const place = await findQueuePlace(deps.db, message.numberId, keys, message.id);
  if (place === undefined) return undefined;
  // A retry time in the past remains stored; the message then waits for another reason.
  const dueAtMs = place.dueAtMs !== null && place.dueAtMs > deps.clock.now() ? place.dueAtMs : null;
  const reasons =
    place.holdUntilMs !== null
      ? ['unknown outcome']
      : place.ahead > 0
        ? [`${place.ahead < AHEAD_MAX ? '' : 'at least '}${place.ahead} earlier to the same recipient`]
        : dueAtMs !== null
          ? ['retry']
          : await deps.explainWaiting(message.numberId, place.contact);
  return { reasons, nextAttemptAtMs: place.holdUntilMs ?? dueAtMs, expiresAtMs: place.expiresAtMs };
}
