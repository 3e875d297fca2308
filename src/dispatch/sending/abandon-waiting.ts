import type { Clock } from '../../core/time/clock.ts';
import { inSets } from '../../database/batching/in-sets.ts';
import type { Database } from '../../database/database.ts';
import { listCancelled, listExpired, listWaiting } from '../queue/queue-queries.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import type { Abandonment } from './abandonment.ts';
import type { Outbox } from './outbox.ts';

export interface AbandonDeps {
  db: Database;
  clock: Clock;
  outbox: Pick<Outbox, 'abandon'>;
}

/** So few that results of what was sent need not wait long behind them. */
const ENDED_AT_ONCE_MAX = 256;
/** More than there is on its way, behind which nothing else would be found; and to find some may mean to read all that are cancelled. */
const PAGE = 4_096;

/** Fails the messages of these numbers that their senders want no more. */
export function abandonCancelled(deps: AbandonDeps, numberIds: number[]): Promise<void> {
  const { db } = deps;
  return abandonAll(deps, 'cancelled', numberIds, () => listCancelled(db, numberIds, PAGE));
}

/** Fails the messages of these numbers that have outlived their time. */
export function abandonExpired(deps: AbandonDeps, numberIds: number[]): Promise<void> {
  const { db, clock } = deps;
  return abandonAll(deps, 'expired', numberIds, () => listExpired(db, numberIds, clock.now(), PAGE));
}

/** Fails what waits for these numbers, which were released. They take turns, a page each, however much waits for one. */
export async function abandonReleased({ db, outbox }: Omit<AbandonDeps, 'clock'>, numberIds: number[]): Promise<void> {
  let places = numberIds.map((numberId) => ({ numberId, flowId: 0, seq: 0 }));
  while (places.length > 0) {
    const left: typeof places = [];
    for (const place of places) {
      const rows = await listWaiting(db, place, ENDED_AT_ONCE_MAX);
      const ended = await endAll(outbox, rows, 'disconnected');
      const last = rows.at(-1);
      if (last !== undefined && rows.length === ENDED_AT_ONCE_MAX && ended > 0) left.push(last);
    }
    places = left;
  }
}

async function endAll(outbox: AbandonDeps['outbox'], rows: readonly QueueRow[], why: Abandonment): Promise<number> {
  return (await Promise.all(rows.map((row) => outbox.abandon(row, why)))).filter(Boolean).length;
}

async function abandonAll(
  { outbox }: AbandonDeps,
  why: Abandonment,
  numberIds: number[],
  list: () => Promise<QueueRow[]>,
): Promise<void> {
  if (numberIds.length === 0) return;
  for (;;) {
    const rows = await list();
    let ended = 0;
    for (const set of inSets(rows, ENDED_AT_ONCE_MAX)) ended += await endAll(outbox, set, why);
    // When none could be ended, the same would be found again.
    if (rows.length < PAGE || ended === 0) return;
  }
}
