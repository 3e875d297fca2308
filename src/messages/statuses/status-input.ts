import { wamidDigest } from '../../core/ids.ts';
import { arrayTable, type Columns } from '../../database/batching/array-table.ts';
import type { MergedStatus } from './message-status.ts';

/** A status with the organization of its number. */
export interface OwnedStatus extends MergedStatus {
  organizationId: string;
}

/** Columns that the messages of statuses are changed by. */
const REPORTED = {
  wamid_digest: ['uuid', (status) => wamidDigest(status.wamid)],
  organization_id: ['uuid', (status) => status.organizationId],
  sent_at: ['timestamptz', (status) => dateOf(status.sentAtMs)],
  delivered_at: ['timestamptz', (status) => dateOf(status.deliveredAtMs)],
  read_at: ['timestamptz', (status) => dateOf(status.readAtMs)],
  failed_at: ['timestamptz', (status) => dateOf(status.failedAtMs)],
  error_code: ['text', (status) => status.errorCode],
  error_message: ['text', (status) => status.errorMessage],
  category: ['text', (status) => status.category],
  pricing_type: ['text', (status) => status.pricingType],
  sent_value: ['text', (status) => status.sentValue],
  delivered_value: ['text', (status) => status.deliveredValue],
  read_value: ['text', (status) => status.readValue],
  failed_value: ['text', (status) => status.failedValue],
  pricing_rank: ['smallint', (status) => status.pricingRank],
  user_id: ['text', (status) => status.userId],
} satisfies Columns<OwnedStatus>;

/** The statuses that a statement applies, from its first parameter on. Each further column costs a percent of the statement. */
export const STATUSES = arrayTable<OwnedStatus>()(REPORTED);

/** The statuses that a statement parks, from its first parameter on. */
export const PARKED = arrayTable<OwnedStatus>()({
  ...REPORTED,
  wamid: ['text', (status) => status.wamid],
  phone_number_id: ['text', (status) => status.phoneNumberId],
  contact: ['bigint', (status) => status.contact],
  callback_data: ['text', (status) => status.callbackData],
});

function dateOf(epochMs: number | undefined): Date | undefined {
  return epochMs === undefined ? undefined : new Date(epochMs);
}
