import { type Event, type EventType, renderUpstreamPayload } from '../../events/index.ts';
import type { Endpoint, EndpointFilter } from '../endpoint.ts';

/** Types that report the delivery of a message. */
const STATUS_TYPES: ReadonlySet<EventType> = new Set([
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
]);

/** What deciding takes of an endpoint. */
export type Subscription = EndpointFilter & Pick<Endpoint, 'id' | 'format'>;

/**
 * Whether an event is sent to an endpoint of its organization. What belongs to no number passes a filter on numbers, what
 * belongs to no business account one on those; in the upstream's format only what the upstream has a webhook for is sent.
 */
export function isWanted(endpoint: Subscription, event: Event): boolean {
  if (event.type === 'webhook.test') return isAbout(event, endpoint.id);
  if (!isSubscribed(endpoint, event.type)) return false;
  // Nobody learns from an endpoint that is disabled that it is.
  if (event.type === 'webhook.disabled') return endpoint.format === 'standard' && !isAbout(event, endpoint.id);
  if (!includes(endpoint.phoneNumberIds, event.number?.phoneNumberId)) return false;
  if (!includes(endpoint.wabaIds, event.wabaId ?? undefined)) return false;
  return isTellable(endpoint, event);
}

/**
 * Whether an endpoint asks for events of a type. The platform reports updates such as payments among the statuses of a message, so an
 * endpoint of its format that asks for statuses gets them as well.
 */
function isSubscribed({ eventTypes, format }: Subscription, type: EventType): boolean {
  if (eventTypes === null || eventTypes.includes(type)) return true;
  return format === 'cloud_api' && type === 'message.updated' && eventTypes.some((asked) => STATUS_TYPES.has(asked));
}

/** Whether an event can be told in an endpoint's format: in the upstream's only what the upstream has a webhook for, and tests. */
export function isTellable({ format }: Pick<Endpoint, 'format'>, event: Event): boolean {
  return format === 'standard' || event.type === 'webhook.test' || renderUpstreamPayload(event) !== undefined;
}

/** An event's detail about a webhook endpoint: the members of its payload's `data`. */
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
