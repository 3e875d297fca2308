import { digitsOf } from '../../core/phone-number.ts';
import { statusError } from '../graph/graph-errors.ts';
import type { JsonObject } from '../graph/json-object.ts';
import type { Recipient } from '../messages/recipient.ts';
import type { PlannedStatus } from '../messages/status-plan.ts';
import type { PhoneNumber } from '../records.ts';
import type { Pricing } from './pricing.ts';
import type { WebhookUpdate } from './webhook-updates.ts';

/** Payload shape of status webhooks: up to v23 every message carries a `conversation`. */
export type WebhookVersion = 'v24' | 'v23';

/** An accepted message, with the facts that its statuses report. */
export interface AcceptedMessage {
  wamid: string;
  number: PhoneNumber;
  recipient: Recipient;
  callbackData: string | null;
  acceptedAt: number;
  pricing: Pricing;
}

/** The names of a recipient, as a status shows them. */
export interface ShownRecipient {
  /** `recipient_id` and the user ids. */
  members: JsonObject;
  /** Member of `contacts`, or null if the status has none. */
  contact: JsonObject | null;
}

/** Renders the webhook of one status of one message. */
export function statusUpdate(
  message: AcceptedMessage,
  planned: PlannedStatus,
  shown: ShownRecipient,
  version: WebhookVersion,
): WebhookUpdate {
  const { number } = message;
  const status: JsonObject = {
    id: message.wamid,
    status: planned.status,
    timestamp: String(Math.floor((message.acceptedAt + planned.happensAfterMs) / 1000)),
    ...shown.members,
    ...(message.callbackData === null ? {} : { biz_opaque_callback_data: message.callbackData }),
    ...billing(message, planned, version),
    ...(planned.errorCode === undefined ? {} : { errors: [statusError(planned.errorCode, planned.details)] }),
  };
  return {
    wabaId: number.wabaId,
    field: 'messages',
    value: {
      messaging_product: 'whatsapp',
      metadata: metadataOf(number),
      ...(shown.contact === null ? {} : { contacts: [shown.contact] }),
      statuses: [status],
    },
  };
}

/** Renders `value.metadata` of every `messages` webhook. */
export function metadataOf(number: PhoneNumber): JsonObject {
  return { display_phone_number: digitsOf(number.displayPhoneNumber), phone_number_id: number.id };
}

/** Renders `pricing`, for `sent` and `delivered`, and `conversation`, only in a free entry point or always in the old version. */
function billing(message: AcceptedMessage, planned: PlannedStatus, version: WebhookVersion): JsonObject {
  if (planned.status !== 'sent' && planned.status !== 'delivered') return {};
  const { pricing } = message;
  const isEntryPoint = pricing.type === 'free_entry_point';
  const expiresAt = pricing.freeEntryPointUntil ?? message.acceptedAt + 86_400_000;
  const conversation = {
    id: Buffer.from(message.wamid.slice(-24)).toString('hex').slice(-32),
    ...(planned.status === 'sent' ? { expiration_timestamp: String(Math.floor(expiresAt / 1000)) } : {}),
    origin: { type: pricing.category },
  };
  return {
    ...(isEntryPoint || version === 'v23' ? { conversation } : {}),
    pricing: {
      billable: pricing.type === 'regular',
      pricing_model: 'PMP',
      type: pricing.type,
      category: pricing.category,
    },
  };
}
