import { invalid } from '../../core/errors.ts';
import { escapeBeyondAscii, object, quoted } from '../../core/json/index.ts';
import type { Event } from '../event.ts';
import { withPlusNumbers } from './plus-numbers.ts';
import { renderEvent } from './render-event.ts';
import { type MessageIds, renderUpstreamPayload } from './render-upstream-payload.ts';

/** Notation of people's numbers: digits only, as the upstream writes them, or with the `+` that the `to` of a send requires. */
type PhoneNumbers = 'upstream' | 'e164';

/** Form in which a reader gets events. */
export interface EventForm {
  /** Standard Webhooks, or the format of the upstream's own webhooks. */
  format: 'standard' | 'cloud_api';
  /** Ids by which statuses name their messages, in the format `cloud_api`. */
  messageIds: MessageIds;
  /** Notation of people's numbers, in the format `cloud_api`. */
  phoneNumbers: PhoneNumbers;
}

/** Raises VALIDATION_ERROR for a choice of ids or numbers in the format `standard`: it is Fairway's own and offers no choice. */
export function checkFormatChoices({ format, messageIds, phoneNumbers }: EventForm): void {
  if (format === 'cloud_api') return;
  const chosen =
    messageIds !== 'upstream' ? '"message_ids"' : phoneNumbers !== 'upstream' ? '"phone_numbers"' : undefined;
  if (chosen === undefined) return;
  throw invalid(`${chosen} can be other than "upstream" in the format "cloud_api" only.`);
}

/**
 * Returns the body of a delivery in the format `cloud_api` with a payload of the upstream's shape. It is ASCII only, as the upstream writes
 * and signs it: some receivers can verify signatures over nothing else.
 */
export function cloudApiBody(payload: string, phoneNumbers: PhoneNumbers): string {
  return escapeBeyondAscii(phoneNumbers === 'e164' ? withPlusNumbers(payload) : payload);
}

/**
 * Renders an event as the pull API lists it: its payload with its id. In the format `cloud_api`, `data` is the body of its delivery, byte for
 * byte; undefined if the upstream has no webhook for it.
 */
export function renderListedEvent(event: Event, { format, messageIds, phoneNumbers }: EventForm): string | undefined {
  const id = quoted(event.id);
  if (format === 'standard') return `{"id":${id},${renderEvent(event).slice(1)}`;
  const payload = renderUpstreamPayload(event, messageIds);
  if (payload === undefined) return undefined;
  return object([
    ['id', id],
    ['type', quoted(event.type)],
    ['timestamp', quoted(new Date(event.occurredAtMs).toISOString())],
    ['data', cloudApiBody(payload, phoneNumbers)],
  ]);
}
