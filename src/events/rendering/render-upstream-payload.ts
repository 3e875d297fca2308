import { insertMember, join, object, present, quoted, replaceValue } from '../../core/json/index.ts';
import type { Event, MessageFacts } from '../event.ts';
import { isHeldBack } from '../event-types.ts';
import { renderTemplateChange } from './render-template-change.ts';

/** By which id a status names its message: the wamid, as the upstream does, or the id that the send was answered with. */
export type MessageIds = 'upstream' | 'gateway';

/**
 * The event as the upstream itself would post it, as JSON text; undefined for what the upstream has no webhook for. What it told
 * stands in it word for word; what Fairway came to know by itself (the upstream accepted or refused the send, a reading found a
 * template changed) is put together in the same shape. `ids` chooses by which id a status names its message.
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

/** A change as the upstream tells it: `value` as JSON text. */
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
  return value === undefined ? undefined : { field: 'messages', value };
}

function renderMessagesValue(event: Event, message: MessageFacts, ids: MessageIds): string | undefined {
  const { number } = event;
  if (number === null || event.type === 'message.queued') return undefined;
  // The upstream posts its own `sent` if it lets the message go.
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
  if (message.inboundMessage !== null) {
    return join(join(frame, event.upstreamValue ?? '{}'), `{"messages":[${message.inboundMessage}]}`);
  }
  const told = event.upstreamValue ?? `{"statuses":[${renderStatus(event, message)}]}`;
  return join(frame, ids === 'upstream' ? told : withOurId(told, message));
}

/** A status under the id its send was answered with; the upstream's stands beside it as `wamid`, as in the answer under `sync=true`. */
function withOurId(told: string, { messageId, wamid }: MessageFacts): string {
  const renamed = replaceValue(told, ['statuses', 0, 'id'], quoted(messageId));
  return wamid === null ? renamed : insertMember(renamed, ['statuses', 0], 'wamid', quoted(wamid));
}

/** A status the upstream did not tell, in its shape. Where there is no wamid, the id is the one our send answered with. */
function renderStatus(event: Event, message: MessageFacts): string {
  const details = message.errorMessage ?? '';
  return object([
    ['id', quoted(message.wamid ?? message.messageId)],
    ['status', quoted(event.type.slice('message.'.length))],
    ['timestamp', quoted(String(Math.floor(event.occurredAtMs / 1000)))],
    ['recipient_id', present(message.contact)],
    ['biz_opaque_callback_data', present(message.callbackData)],
    [
      'errors',
      event.type === 'message.failed'
        ? JSON.stringify([
            {
              // Fairway's own codes are words; the upstream's generic number stands for them.
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
