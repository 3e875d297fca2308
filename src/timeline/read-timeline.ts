import { conversationKeyOf } from '../core/phone-number.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Queryable } from '../database/database.ts';
import { AHEAD_MAX, findQueuePlace, listAttempts } from '../dispatch/index.ts';
import { type Event, listEventsOfMessage } from '../events/index.ts';
import { messageNotFound } from '../messages/index.ts';
import { listDeliveriesOfEvents } from '../outbound-webhooks/index.ts';
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
  /** Why the first message to a contact of a number waits, as far as this node knows. */
  explainWaiting(numberId: number, contact: string): Promise<readonly string[]>;
}

/** Why a queued message waits. Times are epoch ms. */
export interface Waiting {
  reasons: readonly string[];
  nextAttemptAtMs: number | null;
  expiresAtMs: number;
}

export interface Timeline {
  entries: TimelineEntry[];
  /** Undefined once the message has left the queue. */
  waiting: Waiting | undefined;
}

/**
 * Everything known to have happened to a message, oldest first: acceptance, attempts and the upstream's answers, statuses, deliveries of
 * its events; and for a queued one why it waits. Raises NOT_FOUND for a message the organization does not have.
 */
export async function readTimeline(deps: TimelineDeps, organizationId: string, id: string): Promise<Timeline> {
  const message = await findTimelineMessage(deps.db, organizationId, id);
  if (message === undefined) throw messageNotFound();
  const [events, attempts, waiting] = await Promise.all([
    listEventsOfMessage(deps.db, organizationId, id),
    listAttempts(deps.db, organizationId, id),
    readWaiting(deps, message),
  ]);
  const refs = events.map(({ position }) => ({ ...position, organizationId }));
  const deliveries = refs.length === 0 ? [] : await listDeliveriesOfEvents(deps.db, organizationId, refs);
  const others = [
    ...attempts.map(attemptEntry),
    ...message.contradictions.map(contradictionEntry),
    ...deliveries.map((delivery) => deliveryEntry(id, delivery)),
  ];
  return { entries: inOrder([...acceptanceOf(message, events), ...events.map(eventEntry)], others), waiting };
}

/** Events go before messages do; acceptance is known from the message itself. */
function acceptanceOf(message: TimelineMessage, events: readonly Event[]): TimelineEntry[] {
  const told = events.some((event) => event.type === 'message.queued' || event.type === 'message.received');
  return told ? [] : [{ atMs: message.acceptedAtMs, what: message.outbound ? 'queued' : 'received', members: {} }];
}

async function readWaiting(deps: TimelineDeps, message: TimelineMessage): Promise<Waiting | undefined> {
  if (!message.queued || message.contact === null) return undefined;
  const contact = conversationKeyOf(message.contact);
  const place = await findQueuePlace(deps.db, message.numberId, contact, message.id);
  if (place === undefined) return undefined;
  // What was to be tried again keeps the time of that once it has passed: it waits for something else then.
  const dueAtMs = place.dueAtMs !== null && place.dueAtMs > deps.clock.now() ? place.dueAtMs : null;
  const reasons =
    place.holdUntilMs !== null
      ? ['unknown outcome']
      : place.ahead > 0
        ? [`${place.ahead < AHEAD_MAX ? '' : 'at least '}${place.ahead} earlier to the same recipient`]
        : dueAtMs !== null
          ? ['retry']
          : await deps.explainWaiting(message.numberId, contact);
  return { reasons, nextAttemptAtMs: place.holdUntilMs ?? dueAtMs, expiresAtMs: place.expiresAtMs };
}
