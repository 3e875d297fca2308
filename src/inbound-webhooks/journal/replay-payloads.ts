import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { DAY_MS } from '../../database/days/partitions.ts';
import { markForReplay } from '../queries.ts';

const MARKED_AT_ONCE_MAX = 5_000;

export interface ReplayDeps {
  db: Queryable;
  clock: Clock;
  /** Age in days at which messages are dropped. */
  messageDays: number;
}

/**
 * Makes everything received within [from, to) be applied again in the background, oldest first. Nothing has its effect twice: no message,
 * status or event is doubled. So payloads are left out if their messages may be dropped before they are applied: nothing would then show
 * that these were stored. Returns the number of payloads.
 */
export async function replayPayloads(
  { db, clock, messageDays }: ReplayDeps,
  { from, to }: { from: Date; to: Date },
): Promise<number> {
  const keptSinceMs = clock.now() - (messageDays - 1) * DAY_MS;
  let total = 0;
  let after = { receivedAt: new Date(Math.max(from.getTime(), keptSinceMs)), id: 0 };
  for (;;) {
    const marked = await markForReplay(db, after, to, MARKED_AT_ONCE_MAX);
    if (marked === undefined) return total;
    total += marked.count;
    after = marked.last;
  }
}
