import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { deleteOlder } from '../../database/days/delete-older.ts';
import { REMEMBERED_AFTER_MS } from './media-expiry.ts';

/** Deletes the ids that expired long ago. */
export function sweepMedia({ db, clock }: { db: Queryable; clock: Clock }): Promise<void> {
  return deleteOlder(db, 'media', 'expires_at', clock.now() - REMEMBERED_AFTER_MS);
}
