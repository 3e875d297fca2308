import { type AppError, invalid } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { listMedia } from '../queries.ts';

/**
 * Returns the reason why a send from this number cannot use these media ids (api-rules#uploads): a known id belongs to another number or
 * has expired. `undefined` if no reason is known; the upstream judges unknown ids. Makes one query.
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
