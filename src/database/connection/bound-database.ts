import { type AppError, unavailable } from '../../core/errors.ts';
import type { Database, Queryable } from '../database.ts';

/** Equal to the pool's own connection timeout. */
const WAIT_MS_MAX = 5_000;

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
  /** Waiting work by party, the next party first. */
  const waiting = new Map<string | undefined, Set<() => void>>();
  /** Number of slots each party uses. */
  const places = new Map<string | undefined, number>();
  const partyMax = Math.max(1, connectionsMax - 1);
  let running = 0;

  const placesOf = (party: string | undefined) => places.get(party) ?? 0;
  const mayBegin = (party: string | undefined) =>
    running < connectionsMax && (party === undefined || placesOf(party) < partyMax);

  const takePlace = (party: string | undefined) => {
    running += 1;
    places.set(party, placesOf(party) + 1);
  };

  const leavePlace = (party: string | undefined) => {
    running -= 1;
    if (placesOf(party) > 1) places.set(party, placesOf(party) - 1);
    else places.delete(party);
  };

  const remove = (party: string | undefined, begin: () => void) => {
    const ofParty = waiting.get(party);
    ofParty?.delete(begin);
    if (ofParty?.size === 0) waiting.delete(party);
  };

  const queueUp = (party: string | undefined) =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        remove(party, begin);
        reject(tooMany());
      }, WAIT_MS_MAX);
      waiting.set(party, (waiting.get(party) ?? new Set()).add(begin));
    });

  /** Frees a slot and gives it to the next party that may have it. */
  const passOn = (from: string | undefined) => {
    leavePlace(from);
    for (const [party, ofParty] of waiting) {
      const [begin] = ofParty;
      if (begin === undefined || !mayBegin(party)) continue;
      waiting.delete(party);
      ofParty.delete(begin);
      if (ofParty.size > 0) waiting.set(party, ofParty);
      takePlace(party);
      begin();
      return;
    }
  };

  const run = async <Result>(work: () => Promise<Result>, party = partyOf()): Promise<Result> => {
    if (mayBegin(party)) takePlace(party);
    else await queueUp(party);
    try {
      return await work();
    } finally {
      passOn(party);
    }
  };

  return {
    for: (party) => ({ query: (statement) => run(() => db.query(statement), party) }),
    query: (statement) => run(() => db.query(statement)),
    transaction: (work) => run(() => db.transaction(work)),
    waiting: () => waiting.values().reduce((sum, ofParty) => sum + ofParty.size, 0),
    close: () => db.close(),
  };
}

function tooMany(): AppError {
  return unavailable('Too many requests wait for the database. Try again.');
}
