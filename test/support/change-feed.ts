import { EventEmitter, once } from 'node:events';
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { systemClock } from '../../src/core/time/clock.ts';
import { type ChangeFeed, createChangeFeed, publishChange } from '../../src/database/changes/change-feed.ts';
import type { Database, Queryable } from '../../src/database/database.ts';
import { createManualClock } from '../harness/manual-clock.ts';

export const log = pino({ level: 'silent' });
export const silence = () => {};

/** Starts a feed that looks every `pollMs` and stops with the test. */
export async function startFeed(t: TestContext, db: Queryable, pollMs = 10): Promise<ChangeFeed> {
  const feed = createChangeFeed({ db, clock: systemClock, log, pollMs });
  await feed.start();
  t.after(() => feed.stop());
  return feed;
}

/** Collects the keys published for a topic; `next(key)` resolves once that key has arrived. */
export function listen(feed: ChangeFeed) {
  const keys: string[] = [];
  const told = new EventEmitter();
  feed.on(
    'plan',
    (key) => {
      keys.push(key);
      told.emit(key);
    },
    silence,
  );
  return { keys, next: (key: string) => (keys.includes(key) ? Promise.resolve() : once(told, key)) };
}

/** Opens a transaction that publishes `key` and stays open until the test ends it. */
export function openTransaction(db: Database, key: string) {
  const end = Promise.withResolvers<void>();
  const published = Promise.withResolvers<void>();
  const ended = db.transaction(async (tx) => {
    await publishChange(tx, 'plan', key);
    published.resolve();
    await end.promise;
  });
  return {
    published: published.promise,
    ended,
    commit: end.resolve,
    rollBack: () => end.reject(new Error('rolled back')),
  };
}

/** Lets pending work run. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));
/** The answer of the database if nothing has changed. */
export const quiet = [{ snapshot: '1:1:', topic: null, key: null }];

/**
 * Creates a feed whose database answers when the test says so; the queries are numbered. Its process can be suspended: time passes, but no
 * timer fires.
 */
export function createHandFeed({ alone = false } = {}) {
  const asks: { answer: (rows: object[]) => void; fail: (error: Error) => void }[] = [];
  const db: Queryable = {
    query<Row>() {
      const { promise, resolve, reject } = Promise.withResolvers<Row[]>();
      asks.push({ answer: (rows) => resolve(rows as Row[]), fail: reject });
      return promise;
    },
  };
  const clock = createManualClock();
  let suspendedMs = 0;
  const monotonicMs = () => clock.monotonicMs() + suspendedMs;
  const feed = createChangeFeed({ db, clock: { ...clock, monotonicMs }, log, pollMs: 200, alone });
  return {
    feed,
    asks,
    clock,
    suspend(forMs: number) {
      suspendedMs += forMs;
    },
    async start() {
      const started = feed.start();
      asks[0]?.answer([{ snapshot: '1:1:' }]);
      await started;
    },
  };
}

/** Counts the resets of a subscriber. */
export function countResets(feed: ChangeFeed): { count: number } {
  const resets = { count: 0 };
  feed.on('plan', silence, () => {
    resets.count += 1;
  });
  return resets;
}
