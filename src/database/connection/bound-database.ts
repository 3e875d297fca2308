import { unavailable } from '../../core/errors.ts';
import { Slots } from '../../core/limits/slots.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Database, Queryable } from '../database.ts';

/** Longest wait for a slot; equal to the pool's own connection timeout. */
const PATIENCE = { clock: systemClock, timeoutMs: 5_000 };

export interface BoundDatabase extends Database {
  /** The same database on behalf of `party`, regardless of `partyOf`. */
  for(party: string): Queryable;
}

/**
 * Limits `db` to `connectionsMax` statements and transactions at a time, so that this work leaves connections to all other work. Work
 * above the limit waits at most 5 s and then raises UNAVAILABLE. Waiting parties, as `partyOf` names the caller, take turns, each in
 * its own order. If there are several slots, a named party never gets all of them; otherwise others would wait for all its work,
 * however long that takes. Do not use the returned database within one of its own transactions.
 */
export function boundDatabase(
  db: Database,
  connectionsMax: number,
  partyOf: () => string | undefined = () => undefined,
): BoundDatabase {
  const slots = new Slots({ max: connectionsMax, partyMax: Math.max(1, connectionsMax - 1) });
  const run = async <Result>(work: () => Promise<Result>, party = partyOf()): Promise<Result> => {
    using slot = slots.tryAcquire(party) ?? (await slots.acquire(party, PATIENCE));
    if (slot === undefined) throw unavailable('Too many requests wait for the database. Try again.');
    return await work();
  };

  return {
    for: (party) => ({ query: (statement) => run(() => db.query(statement), party) }),
    query: (statement) => run(() => db.query(statement)),
    transaction: (work) => run(() => db.transaction(work)),
    waiting: () => slots.waiting,
    close: () => db.close(),
  };
}
