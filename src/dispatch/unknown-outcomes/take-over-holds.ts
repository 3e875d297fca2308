import type { Queryable } from '../../database/database.ts';
import { LEASE_MS, shardOf } from '../../leases/index.ts';
import { holdAfterGap } from '../outcomes/outcome-policy.ts';
import { listHeldRows } from '../queue/queue-queries.ts';
import { unknownOutcomeOf } from './unknown-outcome.ts';
import { holdJournaled, lengthenHolds, type Takeover } from './unknown-outcome-queries.ts';

/**
 * Holds every message that may have been sent from shards just taken over, at `nowMs` (epoch ms). Messages already held wait longer by the
 * gap in which no node owned the shard; messages named by the journals are held from now on. Returns the number of the latter messages.
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
    // An expired lease was last renewed up to `LEASE_MS` before it ended; a lease given back ended at once.
    const ageMs = platformNowMs - outcome.attemptedAtMs;
    return { ...outcome, holdUntilMs: holdAfterGap({ ...outcome, ageMs }, nowMs, gapMs, gapMs + LEASE_MS) };
  });
  await lengthenHolds(db, lengthened);
  return await holdJournaled(db, takeover, nowMs, platformNowMs);
}
