import { opensWindow, windowOpenUntilMs } from '../../conversations/index.ts';
import { join, type Member, object, present, quoted, readStoredJson } from '../../core/json/index.ts';
import type { Event, MessageFacts } from '../event.ts';
import { conversationOf } from './event-conversation.ts';

/**
 * Renders the payload of an event, `{type, timestamp, data}`, as JSON text: the same bytes at every rendering. The upstream's values appear
 * word for word, and `biz_opaque_callback_data` as given.
 */
export function renderEvent(event: Event): string {
  const timestamp = new Date(event.occurredAtMs).toISOString();
  return object([
    ['type', quoted(event.type)],
    ['timestamp', quoted(timestamp)],
    ['data', event.message === null ? renderResource(event) : renderMessage(event, event.message)],
  ]);
}

function renderMessage(event: Event, message: MessageFacts): string {
  const { number } = event;
  const ours = number?.phoneNumber ?? null;
  const outbound = message.direction === 'outbound';
  return object([
    ['id', quoted(message.messageId)],
    ['sequence', String(event.sequence)],
    ['status', event.type === 'message.updated' ? undefined : quoted(statusOf(event.type))],
    ['direction', quoted(message.direction)],
    ['origin', quoted(message.origin)],
    ['message_id', quoted(message.wamid)],
    ['account_id', quoted(number?.accountId ?? null)],
    ['phone_number_id', quoted(number?.phoneNumberId ?? null)],
    ['waba_id', quoted(event.wabaId)],
    ['conversation_id', quoted(conversationOf(event))],
    ['group_id', present(message.groupId)],
    ['message_type', quoted(message.messageType)],
    ['recipient_phone', quoted(outbound ? message.contact : ours)],
    ['sender_phone', quoted(outbound ? ours : message.contact)],
    ['user_id', quoted(message.userId)],
    ['template_name', present(message.templateName)],
    ['template_language', present(message.templateLanguage)],
    ['conversation_category', outbound ? quoted(message.category) : undefined],
    ['pricing_type', outbound ? quoted(message.pricingType) : undefined],
    ['biz_opaque_callback_data', present(message.callbackData)],
    ['upstream_status', event.type === 'message.sent' ? quoted(message.upstreamStatus) : undefined],
    ...(event.type === 'message.failed' ? failure(message) : []),
    ['update', event.type === 'message.updated' ? (updateOf(event.upstreamValue) ?? 'null') : undefined],
    ['message', message.inboundMessage ?? (event.type === 'message.echoed' ? echoOf(event.upstreamValue) : undefined)],
    ['contact', message.inboundMessage === null ? undefined : (contactOf(event.upstreamValue) ?? 'null')],
    ['window_expires_at', message.inboundMessage === null ? undefined : quoted(windowEndOf(event, message))],
    ...(outbound && message.origin !== 'api' && event.type !== 'message.echoed' ? passedOn(event) : []),
  ]);
}

/** Returns the status of a message as its event reports it. */
function statusOf(type: Event['type']): string {
  if (type === 'message.standby') return 'received';
  return type === 'message.echoed' ? 'sent' : type.slice('message.'.length);
}

/** Returns the end of the window that a person's message opens, in ISO 8601; null if it opens none (api-rules#window). */
function windowEndOf({ occurredAtMs }: Event, { messageType }: MessageFacts): string | null {
  return opensWindow(messageType) ? new Date(windowOpenUntilMs(occurredAtMs)).toISOString() : null;
}

function failure(message: MessageFacts): Member[] {
  return [
    ['error_code', quoted(message.errorCode)],
    ['error_message', quoted(message.errorMessage)],
  ];
}

/** Types whose upstream values have too many members to name: the whole value is included. */
const PASSED_ON = new Set(['account.updated', 'upstream.other']);

function renderResource(event: Event): string {
  const members = object([
    ['waba_id', present(event.wabaId)],
    ['phone_number_id', present(event.number?.phoneNumberId ?? null)],
    ...(PASSED_ON.has(event.type) ? passedOn(event) : []),
  ]);
  return join(members, event.detail ?? '{}');
}

/** Returns the platform's own words: the webhook field, and the members of its value. */
function passedOn({ upstreamField, upstreamValue }: Event): Member[] {
  if (upstreamField === null || upstreamValue === null) return [];
  return [
    ['field', quoted(upstreamField)],
    ['value', upstreamValue],
  ];
}

/** The status object in which the platform reported an update, word for word. */
function updateOf(upstreamValue: string | null): string | undefined {
  return upstreamValue === null ? undefined : readStoredJson(upstreamValue).rawOf(['statuses', 0]);
}

/** Returns the echo with which the platform reported a message that was sent elsewhere, word for word. */
function echoOf(upstreamValue: string | null): string | undefined {
  return upstreamValue === null ? undefined : readStoredJson(upstreamValue).rawOf(['message_echoes', 0]);
}

/** Returns the upstream's facts about an inbound message's sender, mainly the profile name. */
function contactOf(upstreamValue: string | null): string | undefined {
  return upstreamValue === null ? undefined : readStoredJson(upstreamValue).rawOf(['contacts', 0]);
}
