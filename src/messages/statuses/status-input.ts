import { wamidDigest } from '../../core/ids.ts';
import { arrayRows } from '../../database/batching/array-rows.ts';
import type { MergedStatus } from './message-status.ts';

/** A status with the organization of its number. */
export interface OwnedStatus extends MergedStatus {
  organizationId: string;
}

/** The statuses as a table `u`, from the first 18 parameters (see `statusValues`). */
export const STATUS_INPUT = `(${arrayRows(`
  wamid_digest uuid, wamid text, organization_id uuid, phone_number_id text, contact bigint, sent_at timestamptz, delivered_at timestamptz,
  read_at timestamptz, failed_at timestamptz, error_code text, error_message text, category text, pricing_type text, callback_data text,
  sent_value text, delivered_value text, read_value text, failed_value text`)}) u`;

/** Returns the parameters of `STATUS_INPUT`. */
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
