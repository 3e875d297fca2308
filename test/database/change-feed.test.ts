import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../src/core/seeded-random.ts';
import { createChangeFeed, publishChange, publishChanges } from '../../src/database/changes/change-feed.ts';
import { watchPublications } from '../../src/database/changes/watch-publications.ts';
import { openTestDatabase } from '../harness/database.ts';
import { createManualClock } from '../harness/manual-clock.ts';
import { TEST_SEED } from '../harness/seed.ts';
import {
  countResets,
  createHandFeed,
  listen,
  log,
  openTransaction,
  quiet,
  silence,
  startFeed,
  turn,
} from '../support/change-feed.ts';

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

test('look at the feed: every 200 ms beside other nodes, alone every 600 ms, sooner if slow', async () => {
  const { feed, asks, clock, start } = createHandFeed();
  let isAlone = true;
  feed.relaxWhile(() => isAlone);
  await start();
  const answerAfter = async (ms: number) => {
    clock.advance(ms);
    asks.at(-1)?.answer(quiet);
    await turn();
  };
  clock.advance(599);
  assert.equal(asks.length, 1);
  clock.advance(1);
  assert.equal(asks.length, 2);
  await answerAfter(100);
  clock.advance(299);
  assert.equal(asks.length, 2);
  clock.advance(1);
  assert.equal(asks.length, 3);
  isAlone = false;
  await answerAfter(0);
  clock.advance(200);
  assert.equal(asks.length, 4);
  asks.at(-1)?.answer(quiet);
  await feed.stop();
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

test('alone: nothing published → a look every 5 s, and no reset; published → looks as before', async () => {
  const { feed, asks, clock, start } = createHandFeed({ alone: true });
  const resets = countResets(feed);
  feed.relaxWhile(() => true);
  await start();
  const lookAfter = async (ms: number) => {
    const before = asks.length;
    clock.advance(ms - 1);
    assert.equal(asks.length, before, `no look within ${ms} ms`);
    clock.advance(1);
    assert.equal(asks.length, before + 1, `a look after ${ms} ms`);
    asks.at(-1)?.answer(quiet);
    await turn();
  };
  await lookAfter(5_000);
  await lookAfter(5_000);
  clock.advance(3_000);
  const end = feed.publishing();
  await lookAfter(600);
  await lookAfter(600);
  end();
  await lookAfter(600);
  await lookAfter(5_000);
  feed.doubt();
  await lookAfter(600);
  assert.equal(resets.count, 2);
  await feed.stop();
});

test('alone: a publication or a look has no end → caches are reset', async () => {
  const { feed, asks, clock, start, suspend } = createHandFeed({ alone: true });
  const resets = countResets(feed);
  feed.relaxWhile(() => true);
  await start();
  clock.advance(4_000);
  const end = feed.publishing();
  suspend(701);
  feed.resetOverdue();
  assert.equal(resets.count, 2);
  end();
  clock.advance(600);
  assert.equal(asks.length, 2);
  clock.advance(700);
  assert.equal(resets.count, 3);
  asks.at(-1)?.fail(new Error('no answer'));
  await turn();
  clock.advance(600);
  assert.equal(asks.length, 3);
  asks.at(-1)?.answer([{ snapshot: '9:9:' }]);
  await feed.stop();
});

test('publications: announced from their statement until the end of the transaction', async (t) => {
  let open = 0;
  const pool = await openTestDatabase(t);
  const publishing = () => {
    open += 1;
    return () => {
      open -= 1;
    };
  };
  const db = watchPublications(pool, { publishing });
  await db.query({ text: 'SELECT 1' });
  const committed = db.transaction(async (tx) => {
    await tx.query({ text: 'SELECT 1' });
    assert.equal(open, 0);
    await publishChange(tx, 'plan', 'a');
    await publishChange(tx, 'plan', 'b');
    assert.equal(open, 1);
  });
  await committed;
  assert.equal(open, 0);
  const alone = publishChange(db, 'plan', 'c');
  assert.equal(open, 1);
  await alone;
  assert.equal(open, 0);
  const undone = db.transaction(async (tx) => {
    await publishChange(tx, 'plan', 'd');
    throw new Error('rolled back');
  });
  await assert.rejects(undone, { message: 'rolled back' });
  assert.equal(open, 0);
});
