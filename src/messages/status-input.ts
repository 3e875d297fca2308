import { wamidDigest } from '../core/ids.ts';
import type { MergedStatus } from './message-status.ts';

/** A status with the organization its number belongs to. */
export interface OwnedStatus extends MergedStatus {
  organizationId: string;
}

/** What statements are given of statuses, by name. */
export const STATUS_COLUMNS =
  'wamid_digest, wamid, organization_id, phone_number_id, contact, sent_at, delivered_at, read_at, failed_at, error_code, error_message, category, pricing_type, callback_data, sent_value, delivered_value, read_value, failed_value';
/** The statuses as a table `u`: the first 18 parameters, see `statusValues`. */
export const STATUS_INPUT = `unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::bigint[], $6::timestamptz[], $7::timestamptz[],
  $8::timestamptz[], $9::timestamptz[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
  $15::text[], $16::text[], $17::text[], $18::text[]) AS u(${STATUS_COLUMNS})`;

/** The parameters of `STATUS_INPUT`. */
export function statusValues(updates: OwnedStatus[]): unknown[] {
  const at = (epochMs: number | undefined) => (epochMs === undefined ? null : new Date(epochMs));
  return [
    updates.map((update) => wamidDigest(update.wamid)),
    updates.map((update) => update.wamid),
    updates.map((update) => update.organizationId),
    updates.map((update) => update.phoneNumberId),
    updates.map((update) => update.contact),
    updates.map((update) => at(update.sentAtMs)),
    updates.map((update) => at(update.deliveredAtMs)),
    updates.map((update) => at(update.readAtMs)),
    updates.map((update) => at(update.failedAtMs)),
    updates.map((update) => update.errorCode),
    updates.map((update) => update.errorMessage),
    updates.map((update) => update.category),
    updates.map((update) => update.pricingType),
    updates.map((update) => update.callbackData),
    updates.map((update) => update.sentValue),
    updates.map((update) => update.deliveredValue),
    updates.map((update) => update.readValue),
    updates.map((update) => update.failedValue),
  ];
}
