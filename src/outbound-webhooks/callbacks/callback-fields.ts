import { EVENT_TYPES, type EventType, isMessageEvent } from '../../events/index.ts';

/** Events that come under each webhook field of the platform; those of all other fields are `upstream.other`. */
const TYPES_OF = new Map<string, readonly EventType[]>([
  [
    'messages',
    ['message.sent', 'message.delivered', 'message.read', 'message.failed', 'message.received', 'message.updated'],
  ],
  ['standby', ['message.standby']],
  ['message_echoes', ['message.echoed']],
  ['smb_message_echoes', ['message.echoed']],
  ['message_template_status_update', ['template.status_updated']],
  ['message_template_quality_update', ['template.quality_updated']],
  ['template_category_update', ['template.category_updated']],
  ['phone_number_name_update', ['number.updated']],
  ['phone_number_quality_update', ['number.updated']],
  ['account_update', ['account.updated']],
  ['account_review_update', ['account.updated']],
  ['business_capability_update', ['account.updated', 'number.updated']],
]);

/** Fields of an app that names none. */
export const DEFAULT_FIELDS: readonly string[] = [...TYPES_OF.keys()];

/** Returns the types of the events that come under these fields. */
export function typesOfFields(fields: readonly string[]): EventType[] {
  return [...new Set(fields.flatMap((field) => TYPES_OF.get(field) ?? (['upstream.other'] as const)))];
}

/** Returns the types of the events that the platform posts to the address of an account or number: all about messages, and some others. */
export function typesOfOverride(): EventType[] {
  return EVENT_TYPES.filter((type) => type === 'upstream.other' || (isMessageEvent(type) && type !== 'message.queued'));
}
