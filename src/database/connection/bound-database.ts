import { type AppError, unavailable } from '../../core/errors.ts';
import type { Database, Queryable } from '../database.ts';

/** As long as the pool itself takes to give up. */
const WAIT_MS_MAX = 5_000;

export interface BoundDatabase extends Database {
  /** The same on behalf of `party`, whatever `partyOf` says. */
  for(party: string): Queryable;
}

/**
 * `db` for work of which at most `connectionsMax` statements and transactions go on at once, so that however much of it is asked for,
 * connections are left to everybody else. What is beyond waits for a while: then it ends in UNAVAILABLE. Those who wait take turns, as
 * `partyOf` names whoever asks, each in the order it asked; and whoever has a name leaves one of several places to others, who would
 * wait for all it has under way, however long that takes. Within one of its transactions nothing else may be asked of it.
 */
export function boundDatabase(
  db: Database,
  connectionsMax: number,
  partyOf: () => string | undefined = () => undefined,
): BoundDatabase {
  /** Who waits, the next first. */
  const waiting = new Map<string | undefined, Set<() => void>>();
  /** How many places each has. */
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

  /** Whoever ends passes its place on to the next who may have it. */
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
