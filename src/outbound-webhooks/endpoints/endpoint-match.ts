import { type Event, type EventType, renderUpstreamPayload } from '../../events/index.ts';
import type { Endpoint, EndpointFilter } from '../endpoint.ts';

/** Types that report the delivery of a message. */
const STATUS_TYPES: ReadonlySet<EventType> = new Set([
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
]);

/** Part of an endpoint that decides if it gets an event. */
export type Subscription = EndpointFilter & Pick<Endpoint, 'id' | 'format'>;

/**
 * Returns true if an event is sent to an endpoint of its organization. An event without a number passes a filter on numbers, and an event
 * without a business account passes a filter on accounts. In the upstream's format, only events with an upstream webhook are sent.
 */
export function isWanted(endpoint: Subscription, event: Event): boolean {
  if (event.type === 'webhook.test') return isAbout(event, endpoint.id);
  if (!isSubscribed(endpoint, event.type)) return false;
  // A disabled endpoint cannot receive the event about its own disabling.
  if (event.type === 'webhook.disabled') return endpoint.format === 'standard' && !isAbout(event, endpoint.id);
  if (!includes(endpoint.phoneNumberIds, event.number?.phoneNumberId)) return false;
  if (!includes(endpoint.wabaIds, event.wabaId ?? undefined)) return false;
  return isTellable(endpoint, event);
}

/**
 * Returns true if an endpoint asks for events of a type. The platform reports updates such as payments among the statuses of a message.
 * So an endpoint of its format that asks for statuses gets updates as well.
 */
function isSubscribed({ eventTypes, format }: Subscription, type: EventType): boolean {
  if (eventTypes === null || eventTypes.includes(type)) return true;
  return format === 'cloud_api' && type === 'message.updated' && eventTypes.some((asked) => STATUS_TYPES.has(asked));
}

/**
 * Returns true if an event has a form in the endpoint's format. In the upstream's format, only tests and events with an upstream webhook
 * have one.
 */
export function isTellable({ format }: Pick<Endpoint, 'format'>, event: Event): boolean {
  return format === 'standard' || event.type === 'webhook.test' || renderUpstreamPayload(event) !== undefined;
}

/** Detail of an event about a webhook endpoint: the members of its payload's `data`. */
export interface EndpointEventDetail {
  webhook_id: string;
  url: string;
  reason?: string;
}

function isAbout(event: Event, endpointId: string): boolean {
  const detail = JSON.parse(event.detail ?? '{}') as Partial<EndpointEventDetail>;
  return detail.webhook_id === endpointId;
}

function includes(wanted: readonly string[] | null, actual: string | undefined): boolean {
  return wanted === null || actual === undefined || wanted.includes(actual);
}
