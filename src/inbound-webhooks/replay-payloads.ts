import type { Queryable } from '../database/database.ts';
import { markForReplay } from './queries.ts';

const MARKED_AT_ONCE_MAX = 5_000;

/**
 * Has everything received within [from, to) applied again, in the background, oldest first. What had its effect has none the
 * second time: no message, status or event is doubled. Answers the number of payloads.
 */
export async function replayPayloads(db: Queryable, range: { from: Date; to: Date }): Promise<number> {
  let total = 0;
  let after = { receivedAt: range.from, id: 0 };
  for (;;) {
    const marked = await markForReplay(db, after, range.to, MARKED_AT_ONCE_MAX);
    if (marked === undefined) return total;
    total += marked.count;
    after = marked.last;
  }
}
