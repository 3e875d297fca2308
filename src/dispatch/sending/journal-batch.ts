import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import { shardOf } from '../../leases/index.ts';
import type { Dispatch } from '../scheduler/index.ts';
import type { BodyCache } from './body-cache.ts';
import type { BodyRoom } from './body-room.ts';
import { type Journaled, journalDispatch } from './journal-queries.ts';

export interface JournalDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  nodeId: string;
  bodies: BodyCache;
  room: BodyRoom;
}

/** What one message alone takes of its pair's burst is not written down: whoever takes the number over counts it for every pair. */
export const UNWRITTEN_DEBT_MS_MAX = 6_000;

/**
 * Writes down that these messages are about to be sent, under the epochs by shard that they were taken under, dated `platformNowMs`
 * by the platform's clock. Answers those that are still queued; undefined when nothing may be sent, because a lease is lost or the
 * journal's commit is not known. Never rejects.
 */
export async function journalBatch(
  deps: JournalDeps,
  batch: number,
  dispatches: readonly Dispatch[],
  epochs: ReadonlyMap<number, number>,
  platformNowMs: number,
): Promise<Map<string, Journaled> | undefined> {
  const { db, clock, log, nodeId, bodies, room } = deps;
  const nowMs = clock.monotonicMs();
  const offsetMs = clock.now() - nowMs;
  const entries = dispatches.map((dispatch) => ({
    ...dispatch,
    shard: shardOf(dispatch.numberId),
    needsBody: !bodies.has(dispatch.messageId),
    takesLarge: room.has(dispatch.organizationId),
    pairFreeAtMs: dispatch.pairFreeAtMs - nowMs > UNWRITTEN_DEBT_MS_MAX ? dispatch.pairFreeAtMs + offsetMs : null,
  }));
  try {
    const named = { owner: nodeId, batch, epochs };
    const journaled = await journalDispatch(db, named, entries, clock.now(), platformNowMs);
    if (journaled === undefined) log.warn({ shards: epochs.size }, 'dispatch fenced off: a shard has another owner');
    return journaled;
  } catch (error) {
    log.error({ err: error }, 'dispatch not journaled; nothing was sent');
    return undefined;
  }
}
