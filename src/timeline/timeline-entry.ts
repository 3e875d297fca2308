import type { AttemptNote } from '../dispatch/index.ts';
import { type Event, eventId } from '../events/index.ts';
import type { EventAttempt } from '../outbound-webhooks/index.ts';

/** One entry in the history of a message. */
export interface TimelineEntry {
  /** Epoch ms. */
  atMs: number;
  /** `attempt`, `contradiction`, `webhook`, or the type of an event without `message.`. */
  what: string;
  /** Further members of the entry, in the wire's spelling; values are JSON. */
  members: Readonly<Record<string, unknown>>;
}

/** Returns the timeline entry of a message's event. */
export function eventEntry(event: Event): TimelineEntry {
  const { message } = event;
  const source = sourceOf(event);
  return {
    atMs: event.occurredAtMs,
    what: event.type.slice('message.'.length),
    members: {
      event_id: event.id,
      sequence: event.sequence,
      ...(source !== undefined && { source }),
      ...(event.type === 'message.sent' && {
        message_id: message?.wamid ?? null,
        upstream_status: message?.upstreamStatus ?? null,
      }),
      ...(event.type === 'message.failed' && {
        error_code: message?.errorCode ?? null,
        error_message: message?.errorMessage ?? null,
      }),
    },
  };
}

/** Returns the source of an event: a webhook of the upstream, or its answer to the send; undefined if Fairway itself is the source. */
function sourceOf({ type, upstreamField, message }: Event): 'answer' | 'webhook' | undefined {
  if (upstreamField !== null) return 'webhook';
  // Fairway's own codes are words.
  const isOwnEnd = type === 'message.failed' && !/^\d+$/.test(message?.errorCode ?? '');
  return type === 'message.queued' || isOwnEnd ? undefined : 'answer';
}

/** Returns the timeline entry of an attempt that did not settle the message. */
export function attemptEntry(note: AttemptNote): TimelineEntry {
  return {
    atMs: note.atMs,
    what: 'attempt',
    members: {
      outcome: note.outcome,
      error_code: note.errorCode,
      error_message: note.errorMessage,
      next_attempt_at: note.nextAtMs === null ? null : new Date(note.nextAtMs).toISOString(),
    },
  };
}

/** Returns the timeline entry of an attempt to deliver one of a message's events. */
export function deliveryEntry(messageId: string, attempt: EventAttempt): TimelineEntry {
  return {
    atMs: attempt.atMs,
    what: 'webhook',
    members: {
      event_id: eventId({ subjectId: messageId, sequence: attempt.sequence }),
      webhook_id: attempt.endpointId,
      outcome: attempt.outcome,
      http_status: attempt.httpStatus,
      failure: attempt.failure,
      latency_ms: attempt.latencyMs,
    },
  };
}

/** A report of the upstream that contradicts the message's final status. */
export interface Contradiction {
  told: 'delivered' | 'read' | 'failed';
  /** Epoch ms. */
  atMs: number;
  errorCode: string | null;
}

/** Returns the timeline entry of a contradiction. */
export function contradictionEntry({ told, atMs, errorCode }: Contradiction): TimelineEntry {
  return { atMs, what: 'contradiction', members: { told, ...(told === 'failed' && { error_code: errorCode }) } };
}

/**
 * Puts entries in order. Events keep their sequence, because the upstream's times are whole seconds and may lie before the gateway's. All
 * other entries are placed by their time.
 */
export function inOrder(events: readonly TimelineEntry[], others: readonly TimelineEntry[]): TimelineEntry[] {
  let latestMs = Number.NEGATIVE_INFINITY;
  const placed = events.map((entry) => {
    latestMs = Math.max(latestMs, entry.atMs);
    return { entry, placeMs: latestMs };
  });
  const all = [...placed, ...others.map((entry) => ({ entry, placeMs: entry.atMs }))];
  return all.sort((first, second) => first.placeMs - second.placeMs).map(({ entry }) => entry);
}
