import type { AttemptNote } from '../dispatch/index.ts';
import { type Event, eventId } from '../events/index.ts';
import type { EventAttempt } from '../outbound-webhooks/index.ts';

/** One thing that happened to a message. */
export interface TimelineEntry {
  /** Epoch ms. */
  atMs: number;
  /** `queued`, `attempt`, `sent`, `delivered`, `read`, `failed`, `received`, `contradiction` or `webhook`. */
  what: string;
  /** What else is known of it, in the wire's spelling; values are JSON. */
  members: Readonly<Record<string, unknown>>;
}

/** What a message's event adds to its timeline. */
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

/** Who said so: a webhook of the upstream, or its answer to our request; undefined where it was nobody but Fairway. */
function sourceOf({ type, upstreamField, message }: Event): 'answer' | 'webhook' | undefined {
  if (upstreamField !== null) return 'webhook';
  // Fairway's own codes are words.
  const isOwnEnd = type === 'message.failed' && !/^\d+$/.test(message?.errorCode ?? '');
  return type === 'message.queued' || isOwnEnd ? undefined : 'answer';
}

/** What an attempt that did not settle the message adds to its timeline. */
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

/** What an attempt to deliver one of a message's events adds to its timeline. */
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

/** What the upstream told against the message's final status. */
export interface Contradiction {
  told: 'delivered' | 'read' | 'failed';
  /** Epoch ms. */
  atMs: number;
  errorCode: string | null;
}

/** What a contradiction adds to a message's timeline. */
export function contradictionEntry({ told, atMs, errorCode }: Contradiction): TimelineEntry {
  return { atMs, what: 'contradiction', members: { told, ...(told === 'failed' && { error_code: errorCode }) } };
}

/**
 * Puts entries in order. Events keep the order they were told in, since the upstream's times are whole seconds and may lie before
 * our own; everything else stands where its time says.
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
