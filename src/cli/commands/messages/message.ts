import type { Style } from '../../terminal/output.ts';

/** A message of the public API, as far as the commands read it. */
export interface Message {
  id: string;
  message_id: string | null;
  direction: 'outbound' | 'inbound';
  message_type: string;
  recipient_phone: string | null;
  sender_phone: string | null;
  user_id: string | null;
  template_name?: string;
  status: string;
  created_at: string;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  error_code?: string | null;
  error_message?: string | null;
}

/** An event of the pull feed. */
export interface FeedEvent {
  id: string;
  type: string;
  timestamp: string;
  data: Partial<Message>;
}

/** Returns the person of a message: the number, or the user id. */
export function personOf(message: Partial<Message>): string | null {
  const phone = message.direction === 'inbound' ? message.sender_phone : message.recipient_phone;
  return phone ?? message.user_id ?? null;
}

/** Returns the style of a status. */
export function statusStyle(status: string | undefined): Style {
  if (status === 'failed') return 'red';
  if (status === 'queued') return 'yellow';
  return status === 'delivered' || status === 'read' ? 'green' : 'cyan';
}
