/** Every type of event. The table stores a type's position: append only, never reorder. */
export const EVENT_TYPES = [
  'message.queued',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.received',
  'template.status_updated',
  'template.category_updated',
  'template.quality_updated',
  'number.updated',
  'account.updated',
  'upstream.other',
  'webhook.disabled',
  'webhook.test',
  'message.updated',
  'message.standby',
  'message.echoed',
  'window.closing',
  'configuration.changed',
  'opt_out.created',
  'opt_out.removed',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** True if an event of this type is about a message. */
export function isMessageEvent(type: EventType): boolean {
  return type.startsWith('message.');
}

/** Types of events that are not about a message; `recordEvents` writes only these. */
export type ResourceEventType = Exclude<EventType, `message.${string}`>;

/** Bits of a message's `told`: an event about this status exists already. */
export const TOLD_BIT = { sent: 1, delivered: 2, read: 4, failed: 8 } as const;

/** `told` with all bits, which only messages of erased people have: a message is never both delivered and failed. */
export const TOLD_ERASED = 15;

const ACCEPTED = 'accepted';

/**
 * True if the upstream's word in its answer to a send means that it may hold the message back; an unknown word counts as such. The answer
 * is then no `sent`: a webhook reports `sent` when the upstream releases the message.
 */
export function isHeldBack(upstreamStatus: string | null): boolean {
  return upstreamStatus !== null && upstreamStatus !== ACCEPTED;
}

/** Returns the same test as SQL, for the column `upstreamStatus`. */
export function heldBackSql(upstreamStatus: string): string {
  return `coalesce(${upstreamStatus} <> '${ACCEPTED}', false)`;
}

/** Returns the number that the table stores for a type. */
export function eventTypeNumber(type: EventType): number {
  return EVENT_TYPES.indexOf(type);
}

/** Returns the type of a stored number. Throws on a number that no version of this list has had. */
export function eventTypeOf(stored: number): EventType {
  const type = EVENT_TYPES[stored];
  if (type === undefined) throw new Error(`event type ${stored} is unknown`);
  return type;
}

/** True if `text` is an event type; for filters from outside. */
export function isEventType(text: string): text is EventType {
  return (EVENT_TYPES as readonly string[]).includes(text);
}
