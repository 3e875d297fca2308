import { invalid } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { isAddressRange } from '../../egress/index.ts';
import { type KeyChange, listOwnNumbers } from './key-queries.ts';

/** Raises VALIDATION_ERROR for an expiry in the past, a malformed address range, and a number that the organization does not have. */
export async function checkLimits(
  { db, clock }: { db: Queryable; clock: Clock },
  organizationId: string,
  { phoneNumberIds, sourceRanges, expiresAt }: KeyChange,
): Promise<void> {
  if (expiresAt && expiresAt.getTime() <= clock.now()) throw invalid('"expires_at" must be in the future.');
  const malformed = sourceRanges?.find((range) => !isAddressRange(range));
  if (malformed !== undefined) {
    throw invalid(
      `"source_ranges": ${JSON.stringify(malformed)} is not a range of addresses such as 192.0.2.0/24 or 2001:db8::/32.`,
    );
  }
  if (!phoneNumberIds) return;
  const own = await listOwnNumbers(db, organizationId, phoneNumberIds);
  const foreign = phoneNumberIds.find((id) => !own.includes(id));
  if (foreign !== undefined) throw invalid(`"phone_number_ids": the organization has no number ${foreign}.`);
}
