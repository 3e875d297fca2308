import type { Clock } from '../../core/time/clock.ts';
import { inSets } from '../../database/batching/in-sets.ts';
import type { Database } from '../../database/database.ts';
import { listCancelled, listExpired, listWaiting } from '../queue/queue-queries.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import type { Abandoner } from './abandoner.ts';
import type { Abandonment } from './abandonment.ts';

export interface AbandonDeps {
  db: Database;
  clock: Clock;
  abandoner: Pick<Abandoner, 'abandon'>;
}

/** Small enough that results of sent messages need not wait long behind a set. */
const ENDED_AT_ONCE_MAX = 256;
/**
 * More than can be in flight; with fewer, messages in flight would hide all others. Finding some may require reading all cancelled rows.
 */
const PAGE = 4_096;

/** Fails the messages of these numbers that their senders cancelled. */
export function abandonCancelled(deps: AbandonDeps, numberIds: number[]): Promise<void> {
  const { db } = deps;
  return abandonAll(deps, 'cancelled', numberIds, () => listCancelled(db, numberIds, PAGE));
}

/** Fails the messages of these numbers that have expired. */
export function abandonExpired(deps: AbandonDeps, numberIds: number[]): Promise<void> {
  const { db, clock } = deps;
  return abandonAll(deps, 'expired', numberIds, () => listExpired(db, numberIds, clock.now(), PAGE));
}

/**
 * Fails the messages that wait for these released numbers. The numbers take turns, one page each, so that a long queue does not delay the
 * others.
 */
export async function abandonReleased(
  { db, abandoner }: Omit<AbandonDeps, 'clock'>,
  numberIds: number[],
): Promise<void> {
  let places = numberIds.map((numberId) => ({ numberId, flowId: 0, seq: 0 }));
  while (places.length > 0) {
    const left: typeof places = [];
    for (const place of places) {
      const rows = await listWaiting(db, place, ENDED_AT_ONCE_MAX);
      const ended = await endAll(abandoner, rows, 'disconnected');
      const last = rows.at(-1);
      if (last !== undefined && rows.length === ENDED_AT_ONCE_MAX && ended > 0) left.push(last);
    }
    places = left;
  }
}

async function endAll(
  abandoner: AbandonDeps['abandoner'],
  rows: readonly QueueRow[],
  why: Abandonment,
): Promise<number> {
  return (await Promise.all(rows.map((row) => abandoner.abandon(row, why)))).filter(Boolean).length;
}

async function abandonAll(
  { abandoner }: AbandonDeps,
  why: Abandonment,
  numberIds: number[],
  list: () => Promise<QueueRow[]>,
): Promise<void> {
  if (numberIds.length === 0) return;
  for (;;) {
    const rows = await list();
    let ended = 0;
    for (const set of inSets(rows, ENDED_AT_ONCE_MAX)) ended += await endAll(abandoner, set, why);
    // If none could be ended, the next look would find the same rows.
    if (rows.length < PAGE || ended === 0) return;
  }
}
