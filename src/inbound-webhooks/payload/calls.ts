import type { PersonNames } from '../../people/index.ts';
import { contactFinder, personNames, recipientOf, senderOf } from './contact-finder.ts';
import { listOf, timeMs } from './upstream-values.ts';

/** A call that opens the window between a person and a number (api-rules#window). */
export interface WindowCall {
  phoneNumberId: string;
  /** Business account that it is reported under. */
  wabaId: string | undefined;
  person: PersonNames;
  /** Epoch ms. */
  atMs: number;
}

/** Events that report a person's call as it begins. Later ones, such as its end or its recording, would open the window for too long. */
const BEGINNINGS = new Set(['connect', 'call_created']);

/**
 * Returns the calls in a value of the field `calls` that open a window: a person's call, answered or not, and the business's own call once
 * the person accepts it. A call that rings, ends or is rejected opens none.
 */
export function readCalls(
  value: Readonly<Record<string, unknown>>,
  place: Pick<WindowCall, 'phoneNumberId' | 'wabaId'>,
  receivedAtMs: number,
): WindowCall[] {
  const contacts = listOf(value.contacts);
  const findContact = contactFinder(contacts);
  const made = listOf(value.calls)
    .filter(({ event, direction }) => direction === 'USER_INITIATED' && BEGINNINGS.has(String(event)))
    .map((call) => ({ ids: senderOf(call), timestamp: call.timestamp }));
  const accepted = listOf(value.statuses)
    .filter(({ status }) => status === 'ACCEPTED')
    .map((status) => ({ ids: recipientOf(status), timestamp: status.timestamp }));
  return [...made, ...accepted].map(({ ids, timestamp }) => {
    const person = personNames(ids, contacts[findContact(ids) ?? -1]);
    return { ...place, person, atMs: timeMs(timestamp, receivedAtMs) };
  });
}
