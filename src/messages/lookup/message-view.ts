import { conversationId, writerOf } from '../../conversations/index.ts';
import {
  isObject,
  type JsonDocument,
  type Member,
  object,
  present,
  quoted,
  readStoredJson,
} from '../../core/json/index.ts';
import { originOf } from '../../core/message-origins.ts';
import { phoneNumberOf } from '../../people/index.ts';
import type { MessageRow } from '../queries.ts';
import { STATUS, STATUS_NAMES } from '../statuses/message-status.ts';

/**
 * Renders the message object of api-rules#message as JSON text. `content` and `components` are cut out of the stored body, so that every
 * digit reads as it was sent.
 */
export function renderMessage(row: MessageRow): string {
  const document = readStoredJson(row.body);
  const contact = phoneNumberOf(row.contact);
  const [recipient, sender] = row.direction === 0 ? [contact, row.sender_phone] : [row.sender_phone, contact];
  const members: Member[] = [
    ['id', quoted(row.id)],
    ['account_id', quoted(row.account_id)],
    ['message_id', quoted(row.wamid)],
    [
      'conversation_id',
      quoted(conversationId(row.account_id, row.group_id ?? row.person ?? contact ?? writerOf(document.value))),
    ],
    ['direction', quoted(row.direction === 0 ? 'outbound' : 'inbound')],
    ['origin', quoted(originOf(row.origin))],
    ['group_id', present(row.group_id)],
    ['message_type', quoted(row.type)],
    ['recipient_phone', quoted(recipient)],
    ['sender_phone', quoted(sender)],
    ['user_id', quoted(row.user_id)],
  ];
  if (row.template_name !== null) {
    members.push(
      ['template_name', quoted(row.template_name)],
      [
        'content',
        object([
          ['template_name', quoted(row.template_name)],
          ['language', quoted(row.template_language)],
          ['to', document.rawOf(['to'])],
          ['recipient', document.rawOf(['recipient'])],
        ]),
      ],
      ['components', componentList(document)],
    );
  } else {
    members.push([
      'content',
      object([
        ['to', document.rawOf(['to'])],
        ['recipient', document.rawOf(['recipient'])],
        [row.type, document.rawOf([row.type])],
      ]),
    ]);
  }
  members.push(
    ['status', quoted(STATUS_NAMES[row.status] ?? null)],
    // A node of the previous version records a later status without clearing the word.
    ['upstream_status', quoted(row.status === STATUS.sent ? row.upstream_status : null)],
    ['conversation_category', quoted(row.category)],
    ['pricing_type', quoted(row.pricing_type)],
    ['sent_at', time(row.sent_at)],
    ['delivered_at', time(row.delivered_at)],
    ['read_at', time(row.read_at)],
    ['created_at', time(row.accepted_at)],
  );
  if (row.status === STATUS.failed) {
    members.push(['error_code', quoted(row.error_code)], ['error_message', quoted(row.error_message)]);
  }
  return object(members);
}

/**
 * Returns the components as a JSON list. Acceptance leaves their check to the upstream, but readers of the message rely on a list of
 * objects.
 */
function componentList(document: JsonDocument): string {
  const { components } = (document.value.template ?? {}) as { components?: unknown };
  const isList = Array.isArray(components) && components.every(isObject);
  return (isList && document.rawOf(['template', 'components'])) || '[]';
}

function time(at: Date | null): string {
  return at === null ? 'null' : `"${at.toISOString()}"`;
}
