import {
  insertMember,
  join,
  membersOf,
  object,
  present,
  quoted,
  readStoredJson,
  replaceValue,
} from '../../core/json/index.ts';
import type { Event, MessageFacts } from '../event.ts';
import { isHeldBack } from '../event-types.ts';
import { renderTemplateChange } from './render-template-change.ts';

/** Selects the id by which a payload names a sent message: the wamid, as upstream, or the id in the answer to the send. */
export type MessageIds = 'upstream' | 'gateway';

/**
 * Renders the event as the upstream would post it, as JSON text; undefined if the upstream has no webhook for it. The upstream's own
 * reports appear word for word. Facts that Fairway found by itself are rendered in the same shape: an accepted or refused send, a template
 * change found by a reading. `ids` selects the id of a sent message in a status, a quote or a reaction.
 */
export function renderUpstreamPayload(event: Event, ids: MessageIds = 'upstream'): string | undefined {
  const change = event.message === null ? resourceChange(event) : messagesChange(event, event.message, ids);
  if (change === undefined || event.wabaId === null) return undefined;
  return object([
    ['object', '"whatsapp_business_account"'],
    [
      'entry',
      `[${object([
        ['id', quoted(event.wabaId)],
        ['time', event.message === null ? String(Math.floor(event.occurredAtMs / 1000)) : undefined],
        [
          'changes',
          `[${object([
            ['value', change.value],
            ['field', quoted(change.field)],
          ])}]`,
        ],
      ])}]`,
    ],
  ]);
}

/** A change in the shape of the upstream's webhooks: `value` as JSON text. */
interface Change {
  field: string | null;
  value: string;
}

function resourceChange(event: Event): Change | undefined {
  const { upstreamField: field, upstreamValue: value } = event;
  return value === null ? renderTemplateChange(event) : { field, value };
}

function messagesChange(event: Event, message: MessageFacts, ids: MessageIds): Change | undefined {
  const value = renderMessagesValue(event, message, ids);
  return value === undefined ? undefined : { field: event.upstreamField ?? 'messages', value };
}

function renderMessagesValue(event: Event, message: MessageFacts, ids: MessageIds): string | undefined {
  const { number } = event;
  if (number === null || event.type === 'message.queued') return undefined;
  // The upstream posts its own `sent` if it releases the message.
  if (isHeldBack(message.upstreamStatus)) return undefined;
  const frame = object([
    ['messaging_product', '"whatsapp"'],
    [
      'metadata',
      object([
        ['display_phone_number', quoted(number.phoneNumber)],
        ['phone_number_id', quoted(number.phoneNumberId)],
      ]),
    ],
  ]);
  if (message.inboundMessage !== null || event.type === 'message.echoed') {
    const reported = event.upstreamValue ?? '{}';
    const inbound =
      message.inboundMessage === null || ids === 'upstream'
        ? message.inboundMessage
        : withQuotedId(message.inboundMessage, message);
    const messages = inbound === null ? '{}' : `{"messages":[${inbound}]}`;
    // The field `standby` has its lists one level deeper.
    if (event.upstreamField === 'standby') return join(frame, `{"standby":${join(reported, messages)}}`);
    return join(join(frame, reported), messages);
  }
  const told = event.upstreamValue ?? renderOwnStatus(event, message);
  return join(frame, ids === 'upstream' ? told : withOurId(told, message));
}

/** Returns a status with the id from the answer to the send; the upstream's id is added as `wamid`, as in the answer under `sync=true`. */
function withOurId(told: string, { messageId, wamid }: MessageFacts): string {
  const renamed = replaceValue(told, ['statuses', 0, 'id'], quoted(messageId));
  return wamid === null ? renamed : insertMember(renamed, ['statuses', 0], 'wamid', quoted(wamid));
}

/** Places in a person's message of the id of another message that it quotes or reacts to. */
const QUOTES = [
  ['context', 'id'],
  ['reaction', 'message_id'],
] as const;

/** Returns the id of the message that a person's message quotes or reacts to; undefined if there is none. */
export function quotedWamidOf(inboundMessage: string): string | undefined {
  if (!/"(?:context|reaction)"/.test(inboundMessage)) return undefined;
  const { value } = readStoredJson(inboundMessage);
  const ids = QUOTES.map(([holder, member]) => membersOf(value[holder])[member]);
  return ids.find((id): id is string => typeof id === 'string' && id !== '');
}

/** Returns a person's message that names the sent message it refers to by the id of its send; the upstream's id is added as `wamid`. */
function withQuotedId(inbound: string, { quoted: sent }: MessageFacts): string {
  if (sent === undefined) return inbound;
  const { value } = readStoredJson(inbound);
  const place = QUOTES.find(([holder, member]) => membersOf(value[holder])[member] === sent.wamid);
  if (place === undefined) return inbound;
  const renamed = replaceValue(inbound, place, quoted(sent.messageId));
  return insertMember(renamed, [place[0]], 'wamid', quoted(sent.wamid));
}

/**
 * Renders the members of a status that the upstream did not report, in its shape. As there, every status but `failed` comes with the
 * recipient's contact: as last reported, or with nothing but the number and the user id.
 */
function renderOwnStatus(event: Event, message: MessageFacts): string {
  const { contact, userId, recipientCard } = message;
  const ids = object([
    ['wa_id', present(contact)],
    ['user_id', present(userId)],
  ]);
  const card = recipientCard ?? (ids === '{}' ? undefined : ids);
  return object([
    ['contacts', event.type === 'message.failed' || card === undefined ? undefined : `[${card}]`],
    ['statuses', `[${renderStatus(event, message)}]`],
  ]);
}

/** Renders a status that the upstream did not report, in its shape. Without a wamid, the id is that of the answer to the send. */
function renderStatus(event: Event, message: MessageFacts): string {
  const details = message.errorMessage ?? '';
  return object([
    ['id', quoted(message.wamid ?? message.messageId)],
    ['status', quoted(event.type.slice('message.'.length))],
    ['timestamp', quoted(String(Math.floor(event.occurredAtMs / 1000)))],
    ['recipient_id', present(message.contact)],
    ['recipient_user_id', userIdOf(event, message)],
    ['biz_opaque_callback_data', present(message.callbackData)],
    [
      'errors',
      event.type === 'message.failed'
        ? JSON.stringify([
            {
              // Fairway's own codes are words; they become the upstream's generic number.
              code: /^\d{1,9}$/.test(message.errorCode ?? '') ? Number(message.errorCode) : 131000,
              title: details,
              message: details,
              error_data: { details },
            },
          ])
        : undefined,
    ],
  ]);
}

/** Returns the recipient's user id, JSON text. As upstream, the status `failed` of a message to a phone number has none. */
function userIdOf(event: Event, { contact, userId, recipientCard }: MessageFacts): string | undefined {
  if (event.type === 'message.failed' && contact !== null) return undefined;
  const reported = recipientCard === undefined ? undefined : readStoredJson(recipientCard).rawOf(['user_id']);
  return reported ?? present(userId);
}
