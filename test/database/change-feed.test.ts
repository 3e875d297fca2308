import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { seededRandom } from '../../src/core/seeded-random.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import {
  type ChangeFeed,
  createChangeFeed,
  publishChange,
  publishChanges,
} from '../../src/database/changes/change-feed.ts';
import type { Database, Queryable } from '../../src/database/database.ts';
import { openTestDatabase } from '../harness/database.ts';
import { createManualClock } from '../harness/manual-clock.ts';
import { TEST_SEED } from '../harness/seed.ts';

const log = pino({ level: 'silent' });
const silence = () => {};

async function startFeed(t: TestContext, db: Queryable, pollMs = 10): Promise<ChangeFeed> {
  const feed = createChangeFeed({ db, clock: systemClock, log, pollMs });
  await feed.start();
  t.after(() => feed.stop());
  return feed;
}

/** Collects the keys published for a topic; `next(key)` resolves once that key has arrived. */
function listen(feed: ChangeFeed) {
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
function openTransaction(db: Database, key: string) {
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

const turn = () => new Promise((resolve) => setImmediate(resolve));
const quiet = [{ snapshot: '1:1:', topic: null, key: null }];

/**
 * Creates a feed whose database answers when the test says so; the queries are numbered. Its process can be suspended: time passes, but no
 * timer fires.
 */
function createHandFeed() {
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
  const feed = createChangeFeed({ db, clock: { ...clock, monotonicMs }, log, pollMs: 200 });
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

function countResets(feed: ChangeFeed): { count: number } {
  const resets = { count: 0 };
  feed.on('plan', silence, () => {
    resets.count += 1;
  });
  return resets;
}

test('every node: receives a committed change, and no change that was rolled back', async (t) => {
  const db = await openTestDatabase(t);
  const nodes = [listen(await startFeed(t, db)), listen(await startFeed(t, db))];
  const dropped = openTransaction(db, 'dropped');
  await dropped.published;
  dropped.rollBack();
  await assert.rejects(dropped.ended, /rolled back/);
  await publishChanges(db, 'plan', ['one', 'two']);
  await publishChange(db, 'number', 'of another topic');
  await publishChange(db, 'plan', 'last');
  for (const node of nodes) {
    await node.next('last');
    assert.deepEqual(new Set(node.keys), new Set(['one', 'two', 'last']));
  }
});

test('a transaction that commits after younger ones: received once, none received twice', async (t) => {
  const db = await openTestDatabase(t);
  const node = listen(await startFeed(t, db));
  const slow = openTransaction(db, 'slow');
  await slow.published;
  for (const key of ['a', 'b', 'c', 'd']) {
    await publishChange(db, 'plan', key);
    await node.next(key);
  }
  slow.commit();
  await slow.ended;
  await node.next('slow');
  assert.deepEqual(node.keys, ['a', 'b', 'c', 'd', 'slow']);
});

test('transactions of any length and order: each is received exactly once', async (t) => {
  const db = await openTestDatabase(t);
  const node = listen(await startFeed(t, db));
  const random = seededRandom(TEST_SEED).next;
  const committed: string[] = [];
  const open: { key: string; transaction: ReturnType<typeof openTransaction> }[] = [];
  const endOne = async () => {
    const [ending] = open.splice(Math.floor(random() * open.length), 1);
    if (ending === undefined) return;
    if (random() < 0.2) {
      ending.transaction.rollBack();
      await ending.transaction.ended.catch(silence);
    } else {
      ending.transaction.commit();
      await ending.transaction.ended;
      committed.push(ending.key);
    }
  };
  for (let round = 0; round < 150; round += 1) {
    const transaction = openTransaction(db, `key ${round}`);
    await transaction.published;
    open.push({ key: `key ${round}`, transaction });
    while (open.length > 8 * random()) await endOne();
  }
  while (open.length > 0) await endOne();
  await publishChange(db, 'plan', 'last');
  await node.next('last');
  assert.deepEqual(node.keys.toSorted(), [...committed, 'last'].sort(), `seed ${TEST_SEED}`);
});

test('catchUp: everything committed before is received, and its subscribers are done', async (t) => {
  const db = await openTestDatabase(t);
  const feed = await startFeed(t, db, 60_000);
  const done: string[] = [];
  feed.on(
    'plan',
    async (key) => {
      await db.query({ text: 'SELECT pg_sleep(0.01)' });
      done.push(key);
    },
    silence,
  );
  for (let round = 0; round < 10; round += 1) {
    await publishChange(db, 'plan', `a ${round}`);
    await Promise.all([feed.catchUp(), feed.catchUp()]);
    assert.equal(done[round], `a ${round}`);
  }
  assert.equal(done.length, 10, 'each is told once');
});

test('catchUp: waits for subscribers that an earlier look has started', async () => {
  const { feed, asks, clock, start } = createHandFeed();
  const { promise: inForce, resolve: bringIntoForce } = Promise.withResolvers<void>();
  feed.on('plan', () => inForce, silence);
  await start();
  clock.advance(200);
  asks[1]?.answer([{ snapshot: '2:2:', topic: 'plan', key: 'a' }]);
  await turn();
  let isCaughtUp = false;
  const caughtUp = feed.catchUp().then(() => {
    isCaughtUp = true;
  });
  asks[2]?.answer([{ snapshot: '3:3:', topic: null, key: null }]);
  await turn();
  assert.equal(isCaughtUp, false);
  bringIntoForce();
  await caughtUp;
  await feed.stop();
});

test('catchUp: no answer from the database → resets caches and leaves the rest to the next look', async () => {
  const { feed, asks, clock, start } = createHandFeed();
  const resets = countResets(feed);
  await start();
  const caughtUp = feed.catchUp();
  asks[1]?.fail(new Error('connection lost'));
  await caughtUp;
  clock.advance(200);
  asks[2]?.answer([{ snapshot: '9:9:' }]);
  await turn();
  assert.equal(resets.count, 2);
  await feed.stop();
});

test('catchUp after a failed look: starts over, because another database may answer', async () => {
  let statements = 0;
  const { promise: broken, reject: breakOff } = Promise.withResolvers<never>();
  const db: Queryable = {
    async query<Row>() {
      statements += 1;
      if (statements === 2) await broken;
      return [{ snapshot: '1:1:', topic: null }] as Row[];
    },
  };
  const feed = createChangeFeed({ db, clock: createManualClock(), log });
  const resets = countResets(feed);
  await feed.catchUp();
  const caughtUp = [feed.catchUp(), feed.catchUp()];
  breakOff(new Error('the database is gone'));
  await Promise.all(caughtUp);
  assert.equal(resets.count, 2);
});

test('the first look: resets everything cached before it', async (t) => {
  const db = await openTestDatabase(t);
  const feed = createChangeFeed({ db, clock: systemClock, log });
  const resets = countResets(feed);
  await feed.start();
  t.after(() => feed.stop());
  assert.equal(resets.count, 1);
});

test('rows older than an hour: pruned; younger rows: kept', async (t) => {
  const db = await openTestDatabase(t);
  await publishChanges(db, 'plan', ['old', 'young']);
  await db.query({ text: "UPDATE change_feed SET at = now() - interval '2 hours' WHERE key = 'old'" });
  const clock = createManualClock();
  const feed = createChangeFeed({ db, clock, log, pollMs: 11 * 60_000 });
  await feed.start();
  clock.advance(11 * 60_000);
  await feed.stop();
  const rows = await db.query<{ key: string }>({ text: 'SELECT key FROM change_feed' });
  assert.deepEqual(rows, [{ key: 'young' }]);
});

test('subscribers: reset while the database does not answer, and once more when it is back', async () => {
  const { feed, asks, clock, start } = createHandFeed();
  const told: string[] = [];
  feed.on(
    'plan',
    (key) => told.push(key),
    () => told.push('reset'),
  );
  await start();
  assert.deepEqual(told.splice(0), ['reset']);

  clock.advance(200);
  asks[1]?.answer(quiet);
  await turn();
  // The next look begins at 400 ms and hangs; the last successful look began at 200 ms.
  clock.advance(200);
  clock.advance(499);
  assert.deepEqual(told, []);
  clock.advance(1);
  assert.deepEqual(told.splice(0), ['reset']);
  clock.advance(1_400);
  assert.deepEqual(told.splice(0), ['reset', 'reset']);

  asks[2]?.fail(new Error('connection lost'));
  await turn();
  clock.advance(200);
  assert.equal(asks.length, 4);
  asks[3]?.answer([{ snapshot: '9:9:' }]);
  await turn();
  assert.deepEqual(told.splice(0), ['reset']);
  clock.advance(200);
  asks[4]?.answer([{ snapshot: '9:9:', topic: 'plan', key: 'changed' }]);
  await turn();
  assert.deepEqual(told, ['changed']);
  await feed.stop();
});

test('a process that was suspended: resets before it trusts its caches again', async () => {
  const { feed, asks, clock, start, suspend } = createHandFeed();
  const resets = countResets(feed);
  await start();
  clock.advance(200);
  suspend(3 * 3_600_000);
  asks[1]?.answer(quiet);
  await turn();
  assert.equal(resets.count, 2);
  await Promise.all([feed.stop(), turn().then(() => asks[2]?.answer([]))]);
});

test('a follower: resets only if changes may be missed, and receives late commits', async () => {
  const { feed, asks, clock, start } = createHandFeed();
  const told: string[] = [];
  feed.follow(
    'plan',
    (key) => told.push(key),
    () => told.push('missed'),
  );
  await start();
  assert.deepEqual(told.splice(0), ['missed']);

  clock.advance(200);
  clock.advance(5_000);
  asks[1]?.answer([{ snapshot: '2:2:', topic: 'plan', key: 'late' }]);
  await turn();
  assert.deepEqual(told.splice(0), ['late']);

  clock.advance(200);
  asks[2]?.fail(new Error('connection lost'));
  await turn();
  clock.advance(200);
  asks[3]?.answer([{ snapshot: '9:9:' }]);
  await turn();
  assert.deepEqual(told, ['missed']);
  await feed.stop();
});

test('a process suspended for longer than changes are kept: treats them as missed', async () => {
  const { feed, asks, clock, start, suspend } = createHandFeed();
  const told: string[] = [];
  feed.follow('plan', silence, () => told.push('missed'));
  await start();
  assert.deepEqual(told.splice(0), ['missed']);

  suspend(29 * 60_000);
  clock.advance(200);
  asks[1]?.answer(quiet);
  await turn();
  assert.deepEqual(told, []);
  // Answers the query that prunes old rows.
  asks[2]?.answer([]);
  await turn();

  suspend(31 * 60_000);
  clock.advance(200);
  asks[3]?.answer([{ snapshot: '9:9:' }]);
  await turn();
  assert.deepEqual(told, ['missed']);
  await Promise.all([feed.stop(), turn().then(() => asks[4]?.answer([]))]);
});

test('one failing subscriber: the others still receive the change', async (t) => {
  const db = await openTestDatabase(t);
  const feed = await startFeed(t, db);
  feed.on(
    'plan',
    () => {
      throw new Error('broken subscriber');
    },
    silence,
  );
  const node = listen(feed);
  await publishChange(db, 'plan', 'a');
  await node.next('a');
});

test('a subscriber that fails to apply a change: reset until it succeeds', async (t) => {
  const db = await openTestDatabase(t);
  const feed = await startFeed(t, db);
  const told: string[] = [];
  const done = Promise.withResolvers<void>();
  feed.on(
    'plan',
    async (key) => {
      told.push(key);
      throw new Error('the database was asked and did not answer');
    },
    async () => {
      told.push('reset');
      if (told.length < 4) throw new Error('nor this time');
      done.resolve();
    },
  );
  const other = listen(feed);
  await publishChange(db, 'plan', 'one');
  await done.promise;
  await feed.catchUp();
  assert.deepEqual(told, ['one', 'reset', 'reset', 'reset']);
  assert.deepEqual(other.keys, ['one']);
});

test('a broken connection without a failed look: all reset, as a crash reuses transaction ids', async (t) => {
  const { feed, asks, clock, start } = createHandFeed();
  const resets = countResets(feed);
  let missed = 0;
  feed.follow('plan', silence, () => {
    missed += 1;
  });
  await start();
  t.after(() => feed.stop());
  const look = async (rows: object[]) => {
    clock.advance(200);
    await turn();
    asks.at(-1)?.answer(rows);
    await turn();
  };
  await look(quiet);
  assert.deepEqual([resets.count, missed], [1, 1]);
  feed.doubt();
  await look([{ snapshot: '1:1:' }]);
  assert.deepEqual([resets.count, missed], [2, 2]);
  await look(quiet);
  assert.deepEqual([resets.count, missed], [2, 2]);
  // During a look, which the crashed server may have answered.
  clock.advance(200);
  await turn();
  feed.doubt();
  asks.at(-1)?.answer(quiet);
  await turn();
  await look([{ snapshot: '1:1:' }]);
  assert.deepEqual([resets.count, missed], [3, 3]);
});
