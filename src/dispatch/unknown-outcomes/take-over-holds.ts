import type { Queryable } from '../../database/database.ts';
import { LEASE_MS, shardOf } from '../../leases/index.ts';
import { holdAfterGap } from '../outcomes/outcome-policy.ts';
import { listHeldRows } from '../queue/queue-queries.ts';
import { holdJournaled, lengthenHolds, type Takeover } from './unknown-outcome-queries.ts';
import { unknownOutcomeOf } from './unknown-outcomes.ts';

/**
 * Has everything wait for a status that may have been sent from shards just taken over, at `nowMs` (epoch ms): what is held already
 * for longer by the gap in which nobody had its shard, what the journals name from now on. Answers how many those are.
 */
export async function takeOverHolds(
  db: Queryable,
  takeover: Takeover,
  nowMs: number,
  platformNowMs: number,
): Promise<number> {
  const gapOf = new Map(takeover.shards.map(({ shard, quietMs }) => [shard, Math.max(0, quietMs ?? 0)]));
  const held = (await listHeldRows(db, [...gapOf.keys()])).map(unknownOutcomeOf);
  const lengthened = held.map((outcome) => {
    const gapMs = gapOf.get(shardOf(outcome.numberId)) ?? 0;
    // A lease that ran out was renewed for the last time when it had all of its time before it; one given back ended at once.
    const ageMs = platformNowMs - outcome.attemptedAtMs;
    return { ...outcome, holdUntilMs: holdAfterGap({ ...outcome, ageMs }, nowMs, gapMs, gapMs + LEASE_MS) };
  });
  await lengthenHolds(db, lengthened);
  return await holdJournaled(db, takeover, nowMs, platformNowMs);
}
