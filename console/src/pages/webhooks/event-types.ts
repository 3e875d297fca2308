import type { EventType } from '../../api/shapes.ts';

/** Every event type; the compiler asks for a new one. */
const KNOWN: Record<EventType, true> = {
  'message.queued': true,
  'message.sent': true,
  'message.delivered': true,
  'message.read': true,
  'message.failed': true,
  'message.received': true,
  'message.updated': true,
  'message.standby': true,
  'message.echoed': true,
  'template.status_updated': true,
  'template.category_updated': true,
  'template.quality_updated': true,
  'number.updated': true,
  'account.updated': true,
  'window.closing': true,
  'opt_out.created': true,
  'opt_out.removed': true,
  'configuration.changed': true,
  'upstream.other': true,
  'webhook.disabled': true,
  'webhook.test': true,
};

export const EVENT_TYPES = Object.keys(KNOWN).filter((type) => type !== 'webhook.test');
