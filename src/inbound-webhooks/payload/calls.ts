import { conversationKeyOf } from '../../core/phone-number.ts';
import { digits, listOf, timeMs } from './upstream-values.ts';

/** A call that opens the window between a person and a number (api-rules#window). */
export interface WindowCall {
  phoneNumberId: string;
  /** Business account that it is reported under. */
  wabaId: string | undefined;
  /** Conversation key of the person. */
  contact: string;
  /** Epoch ms. */
  atMs: number;
}

/** Events that report a person's call as it begins. Later ones, such as its end or its recording, would open the window for too long. */
const BEGINNINGS = new Set(['connect', 'call_created']);

/**
 * Returns the calls in a value of the field `calls` that open a window: a person's call, answered or not, and the business's own call once
 * the person accepts it. A call that rings, ends or is rejected opens none, and neither does a person without a number.
 */
export function readCalls(
  value: Readonly<Record<string, unknown>>,
  place: Pick<WindowCall, 'phoneNumberId' | 'wabaId'>,
  receivedAtMs: number,
): WindowCall[] {
  const made = listOf(value.calls)
    .filter(({ event, direction }) => direction === 'USER_INITIATED' && BEGINNINGS.has(String(event)))
    .map(({ from, timestamp }) => ({ person: from, timestamp }));
  const accepted = listOf(value.statuses)
    .filter(({ status }) => status === 'ACCEPTED')
    .map(({ recipient_id, timestamp }) => ({ person: recipient_id, timestamp }));
  return [...made, ...accepted].flatMap(({ person, timestamp }) => {
    const number = digits(person);
    if (number === undefined) return [];
    return [{ ...place, contact: conversationKeyOf(number), atMs: timeMs(timestamp, receivedAtMs) }];
  });
}
