import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/core/time/clock.ts';
import { createChangeFeed, publishChange } from '../../src/database/changes/change-feed.ts';
import type { Queryable } from '../../src/database/database.ts';
import { openTestDatabase } from '../harness/database.ts';
import { createManualClock } from '../harness/manual-clock.ts';
import { countResets, createHandFeed, listen, log, quiet, silence, startFeed, turn } from '../support/change-feed.ts';

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
