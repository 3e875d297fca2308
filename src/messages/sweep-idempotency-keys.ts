import type { Queryable } from '../database/database.ts';
import { deleteIdempotencyKeys } from './idempotency-queries.ts';

const DELETED_AT_ONCE_MAX = 5_000;

/** Forgets idempotency keys first used before `beforeMs` (epoch ms): used again, they count as new. */
export async function sweepIdempotencyKeys(db: Queryable, beforeMs: number): Promise<void> {
  while ((await deleteIdempotencyKeys(db, beforeMs, DELETED_AT_ONCE_MAX)) === DELETED_AT_ONCE_MAX) {
    // in steps that lock few rows for a short time
  }
}
