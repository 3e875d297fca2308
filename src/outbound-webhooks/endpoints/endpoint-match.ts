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

/** Types whose events the platform's format had under `upstream.other` before they had types of their own. */
const ONCE_OTHER: ReadonlySet<EventType> = new Set(['message.standby', 'message.echoed']);

/**
 * Returns true if an endpoint asks for events of a type; `window.closing` has to be named. In the platform's format, updates such as
 * payments come among the statuses of a message, and echoes and standby messages are fields of their own. So an endpoint of this format
 * that asks for statuses, or for other fields, gets them as well.
 */
function isSubscribed({ eventTypes, format }: Subscription, type: EventType): boolean {
  if (eventTypes === null) return type !== 'window.closing';
  if (eventTypes.includes(type)) return true;
  if (format !== 'cloud_api') return false;
  if (type === 'message.updated') return eventTypes.some((asked) => STATUS_TYPES.has(asked));
  return ONCE_OTHER.has(type) && eventTypes.includes('upstream.other');
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
