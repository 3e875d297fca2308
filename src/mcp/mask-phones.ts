import { maskWamids } from '../core/ids.ts';
import { mapMembers } from './result-text.ts';

/** Members that name a person. */
const PERSON = /^(?:recipient_phone|sender_phone|wa_id|user_id|parent_user_id|recipient_id|to|from|phone)$/;
/** Members that hold ids, times or addresses of the gateway, whose digits are no phone numbers. */
const TECHNICAL = /^(?:id|.*_id|at|.*_at|next|doc_url|url|display_phone_number|idempotency_key)$/;
/** A phone number as people write it: seven digits or more. */
const PHONE = /\+?\d(?:[\s().-]{0,3}\d){6,}/g;

/** Returns a copy of `value` in which phone numbers of people show their last four digits only. */
export function maskPhones(value: unknown, key = ''): unknown {
  if (typeof value !== 'string') return mapMembers(value, (member, name) => maskPhones(member, name));
  if (PERSON.test(key)) return masked(value);
  const text = maskWamids(value, 'wamid.***');
  return TECHNICAL.test(key) ? text : text.replace(PHONE, masked);
}

function masked(text: string): string {
  return `***${text.slice(-4)}`;
}
