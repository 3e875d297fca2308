/**
 * Every type of event. A type's position is what the table stores: append only, never reorder.
 */
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
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Whether an event of this type is about a message. */
export function isMessageEvent(type: EventType): boolean {
  return type.startsWith('message.');
}

/** Types that tell of something else than a message; `recordEvents` writes these and no others. */
export type ResourceEventType = Exclude<EventType, `message.${string}`>;

/** The bit of a message's `told` that says an event tells of this status already. */
export const TOLD_BIT = { sent: 1, delivered: 2, read: 4, failed: 8 } as const;

const ACCEPTED = 'accepted';

/**
 * Tells whether the upstream's word in its answer to a send means that it may hold the message back; an unknown word counts as such.
 * The answer is then no `sent` of the upstream's: a webhook reports that once it lets the message go.
 */
export function isHeldBack(upstreamStatus: string | null): boolean {
  return upstreamStatus !== null && upstreamStatus !== ACCEPTED;
}

/** The same in SQL, for the column `upstreamStatus`. */
export function heldBackSql(upstreamStatus: string): string {
  return `coalesce(${upstreamStatus} <> '${ACCEPTED}', false)`;
}

/** What the table stores for a type. */
export function eventTypeNumber(type: EventType): number {
  return EVENT_TYPES.indexOf(type);
}

/** The type a stored number stands for. Throws on a number no version of this list has had. */
export function eventTypeOf(stored: number): EventType {
  const type = EVENT_TYPES[stored];
  if (type === undefined) throw new Error(`event type ${stored} is unknown`);
  return type;
}

/** Whether `text` is a type of event, for filters that come from outside. */
export function isEventType(text: string): text is EventType {
  return (EVENT_TYPES as readonly string[]).includes(text);
}
