import type { Queryable } from '../database/database.ts';
import { deleteEarlyStatuses } from './early-status-queries.ts';

const DELETED_AT_ONCE_MAX = 5_000;

/** Gives up on statuses received before `beforeMs` (epoch ms) that no send has claimed: they speak of messages sent elsewhere. */
export async function sweepEarlyStatuses(db: Queryable, beforeMs: number): Promise<void> {
  while ((await deleteEarlyStatuses(db, beforeMs, DELETED_AT_ONCE_MAX)) === DELETED_AT_ONCE_MAX) {
    // in steps that lock few rows for a short time
  }
}
