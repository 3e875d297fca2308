import { type AppError, invalid } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { listMedia } from '../queries.ts';

/**
 * Why a send from this number cannot name these media ids (api-rules#uploads): one known here belongs to another number or has
 * expired. `undefined` when nothing is known against them; ids not known here are for the upstream to judge. One query.
 */
export async function findMediaRefusal(
  deps: { db: Queryable; clock: Clock },
  number: { organizationId: string; phoneNumberId: string },
  mediaIds: readonly string[],
): Promise<AppError | undefined> {
  const now = deps.clock.now();
  for (const { mediaId, phoneNumberId, expiresAt } of await listMedia(deps.db, number.organizationId, mediaIds)) {
    if (phoneNumberId !== number.phoneNumberId) {
      return invalid(`The media id ${mediaId} belongs to another number and can only be sent from that one.`);
    }
    if (expiresAt.getTime() <= now) {
      return invalid(`The media id ${mediaId} expired at ${expiresAt.toISOString()}; upload the file again.`);
    }
  }
  return undefined;
}
