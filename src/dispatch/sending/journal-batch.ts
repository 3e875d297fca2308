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

/** Debts up to that of a single message are not stored: a new owner of the number assumes one such debt for every pair. */
export const UNWRITTEN_DEBT_MS_MAX = 6_000;

/**
 * Journals messages that are about to be sent, under the lease epochs at which they were taken, dated `platformNowMs` by the platform's
 * clock. Returns the messages that are still queued. Returns undefined if no message may be sent, because a lease is lost or the journal's
 * commit is in doubt. Never rejects.
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
    if (journaled === undefined)
      log.warn({ shards: epochs.size }, 'journal refused because another node owns a shard; nothing is sent');
    return journaled;
  } catch (error) {
    log.error({ err: error }, 'journal not written; nothing is sent');
    return undefined;
  }
}
