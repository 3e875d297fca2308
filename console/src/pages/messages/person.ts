import { withPlus } from '../../api/numbers.ts';
import type { Schema } from '../../api/shapes.ts';

type Message = Schema<'Message'>;

/** Returns the other side of a message: a phone number with `+`, or the user id. */
export function personOf(message: Message): string {
  const phone = message.direction === 'outbound' ? message.recipient_phone : message.sender_phone;
  return phone ? withPlus(phone) : (message.user_id ?? message.group_id ?? '–');
}

/** Returns the number of the business, which is at the top of the person's phone. */
export function businessOf(message: Message): string {
  const phone = message.direction === 'outbound' ? message.sender_phone : message.recipient_phone;
  return phone ? withPlus(phone) : '–';
}

/** Returns the text to be shown in a list for a message. */
export function summaryOf(message: Message): string {
  if (message.template_name !== undefined) return message.template_name;
  const value = message.content[message.message_type] as Record<string, unknown> | undefined;
  const parts = [value?.body, value?.caption, value?.emoji, value?.filename, value?.name, value?.text];
  const nested = (value?.body as { text?: unknown } | undefined)?.text;
  const text = [...parts, nested].find((part) => typeof part === 'string' && part !== '');
  return typeof text === 'string' ? (text.length > 90 ? `${text.slice(0, 90)}…` : text) : '';
}
