import type { Queryable } from '../database/database.ts';
import { deleteDigests } from './queries.ts';

const DELETED_AT_ONCE_MAX = 5_000;

/** Forgets payloads received before `beforeMs` (epoch ms): told again from then on, they count as new. */
export async function sweepDigests(db: Queryable, beforeMs: number): Promise<void> {
  while ((await deleteDigests(db, beforeMs, DELETED_AT_ONCE_MAX)) === DELETED_AT_ONCE_MAX) {
    // in steps that lock few rows for a short time
  }
}
