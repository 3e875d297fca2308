import type { Clock } from '../core/time/clock.ts';
import { publishChange } from '../database/changes/change-feed.ts';
import type { Database } from '../database/database.ts';
import { findNumberByUpstreamId, type NumberPatch, updateNumber } from './queries.ts';
import type { SendingNumber } from './sending-number.ts';
import { isUpstreamId, numberNotFound } from './waba.ts';

/** Changes a number's pace, or pauses or resumes it, on every node within a second. Raises ACCOUNT_NOT_FOUND. */
export async function patchNumber(
  deps: { db: Database; clock: Clock },
  phoneNumberId: string,
  patch: NumberPatch,
): Promise<SendingNumber> {
  if (!isUpstreamId(phoneNumberId)) throw numberNotFound();
  return deps.db.transaction(async (tx) => {
    await updateNumber(tx, phoneNumberId, patch, new Date(deps.clock.now()));
    const number = await findNumberByUpstreamId(tx, phoneNumberId);
    if (number === undefined) throw numberNotFound();
    await publishChange(tx, 'number', phoneNumberId);
    return number;
  });
}
