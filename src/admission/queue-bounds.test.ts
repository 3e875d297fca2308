import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../test/harness/manual-clock.ts';
import type { Queryable, Statement } from '../database/database.ts';
import { createQueueBounds } from './queue-bounds.ts';

const ORGANIZATION = 'one';

/** Queue bounds over a table whose count the test sets; counts every statement. */
function boundsOver(queued: number) {
  const table = { queued, counts: 0, fails: false, answered: Promise.resolve() };
  const db: Queryable = {
    async query<Row>({ values }: Statement) {
      table.counts += 1;
      await table.answered;
      if (table.fails) throw new Error('the database is unreachable');
      return [{ queued: Math.min(table.queued, Number(values?.[1])) }] as Row[];
    },
  };
  const clock = createManualClock();
  return { table, clock, bounds: createQueueBounds({ db, clock }) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('queue bounds: claims one by one or all at once → as many succeed as there is room', async () => {
  const { bounds } = boundsOver(7);
  const claims = await Promise.all(Array.from({ length: 10 }, () => bounds.claim(ORGANIZATION, 10)));
  assert.equal(claims.filter(Boolean).length, 3);
  assert.equal(await bounds.claim(ORGANIZATION, 10), false);
});

test('queue bounds: message leaves or is not stored → its place is free again', async () => {
  const { bounds } = boundsOver(0);
  for (let place = 0; place < 2; place += 1) assert.equal(await bounds.claim(ORGANIZATION, 2), true);
  bounds.stored(ORGANIZATION);
  bounds.giveBack(ORGANIZATION);
  assert.equal(await bounds.claim(ORGANIZATION, 2), true);
  assert.equal(await bounds.claim(ORGANIZATION, 2), false);
  bounds.settled(ORGANIZATION);
  assert.equal(await bounds.claim(ORGANIZATION, 2), true);
  // A message that another node has stored.
  bounds.settled(ORGANIZATION);
  assert.equal(await bounds.claim(ORGANIZATION, 2), false);
});

test('queue bounds: 1,000 claims → one count; work of other nodes → seen at the next count', async () => {
  const { bounds, table, clock } = boundsOver(0);
  for (let claim = 0; claim < 1_000; claim += 1) {
    await bounds.claim(ORGANIZATION, 5_000);
    bounds.stored(ORGANIZATION);
  }
  assert.equal(table.counts, 1);
  table.queued = 5_000;
  clock.advance(3_001);
  assert.equal(bounds.claim(ORGANIZATION, 5_000), true, 'no claim waits for a count');
  await turn();
  assert.equal(table.counts, 2);
  assert.equal(bounds.claim(ORGANIZATION, 5_000), false);
});

test('queue bounds: other nodes empty the queue as fast as it fills here → never full', async () => {
  const { bounds, table, clock } = boundsOver(0);
  for (let message = 0; message < 4_000; message += 1) {
    assert.equal(await bounds.claim(ORGANIZATION, 100), true, `message ${message}`);
    bounds.stored(ORGANIZATION);
    clock.advance(5);
    await turn();
  }
  assert.ok(table.counts <= 20_000 / 250, `${table.counts} counts in 20 s`);
});

test('queue bounds: slow count → no second count starts', async () => {
  const { bounds, table, clock } = boundsOver(0);
  assert.equal(await bounds.claim(ORGANIZATION, 10), true);
  table.answered = new Promise(() => {});
  for (let claim = 0; claim < 3; claim += 1) {
    clock.advance(3_001);
    assert.equal(bounds.claim(ORGANIZATION, 10), true);
  }
  assert.equal(table.counts, 2);
});

test('queue bounds: bound lowered far below the queue → no room until the excess has left', async () => {
  const { bounds } = boundsOver(30);
  assert.equal(await bounds.claim(ORGANIZATION, 10), false);
  for (let left = 0; left < 20; left += 1) bounds.settled(ORGANIZATION);
  assert.equal(bounds.claim(ORGANIZATION, 10), false);
  bounds.settled(ORGANIZATION);
  assert.equal(bounds.claim(ORGANIZATION, 10), true);
});

test('queue bounds: failed first count → claim refused; failed later count → old value kept', async () => {
  const { bounds, table, clock } = boundsOver(0);
  table.fails = true;
  await assert.rejects(async () => bounds.claim(ORGANIZATION, 5));
  table.fails = false;
  assert.equal(await bounds.claim(ORGANIZATION, 1), true);
  bounds.stored(ORGANIZATION);
  table.fails = true;
  clock.advance(10_000);
  assert.equal(bounds.claim(ORGANIZATION, 1), false);
  await turn();
  assert.equal(bounds.claim(ORGANIZATION, 1), false);
});

test('queue bounds: one slow count because the database stalled → counted again soon', async () => {
  const { bounds, table, clock } = boundsOver(0);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  table.answered = answered;
  const first = bounds.claim(ORGANIZATION, 1);
  clock.advance(10_000);
  answer();
  assert.equal(await first, true);
  bounds.stored(ORGANIZATION);
  assert.equal(bounds.claim(ORGANIZATION, 1), false);
  clock.advance(3_001);
  assert.equal(bounds.claim(ORGANIZATION, 1), false, 'no claim waits for a count');
  await turn();
  assert.equal(bounds.claim(ORGANIZATION, 1), true);
});

test('queue bounds: failed counts → delay no later count; a slow success → delays for seconds', async () => {
  const { bounds, table, clock } = boundsOver(1);
  const claim = () => bounds.claim(ORGANIZATION, 1);
  const countFor = async (tookMs: number) => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    table.answered = answered;
    const claimed = claim();
    clock.advance(tookMs);
    answer();
    await claimed;
    await turn();
  };
  await countFor(0);
  table.fails = true;
  for (const tookMs of [12_000, 5_000]) {
    clock.advance(3_000);
    await countFor(tookMs);
  }
  assert.equal(table.counts, 3);
  table.fails = false;
  for (const [afterMs, queued] of [
    [3_000, 1],
    [3_000, 1],
    [10_000, 0],
  ] as const) {
    clock.advance(afterMs);
    table.queued = queued;
    await countFor(8_000);
  }
  assert.equal(table.counts, 6);
  assert.equal(claim(), true);
});

test('queue bounds: every count slow → counted less often', async () => {
  const { bounds, table, clock } = boundsOver(1_000_000);
  const claim = () => bounds.claim(ORGANIZATION, 2_000_000);
  const countSlowly = async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    table.answered = answered;
    const claimed = claim();
    clock.advance(500);
    answer();
    await claimed;
    await turn();
  };
  await countSlowly();
  clock.advance(3_000);
  await countSlowly();
  assert.equal(table.counts, 2);
  clock.advance(9_999);
  await claim();
  assert.equal(table.counts, 2);
  clock.advance(1);
  await claim();
  assert.equal(table.counts, 3);
});

test('queue bounds: full queue of one organization → no effect on another', async () => {
  const { bounds } = boundsOver(0);
  assert.equal(await bounds.claim('full', 0), false);
  assert.equal(await bounds.claim('other', 1), true);
});

test('queue bounds: cache full → oldest queue is counted again; no claim is returned twice', async () => {
  const { bounds, table } = boundsOver(0);
  assert.equal(await bounds.claim(ORGANIZATION, 2), true);
  for (let other = 0; other < 20_000; other += 1) await bounds.claim(`other ${other}`, 1);
  const { counts } = table;
  assert.equal(await bounds.claim(ORGANIZATION, 2), true);
  assert.equal(table.counts, counts + 1);
  for (let claim = 0; claim < 2; claim += 1) bounds.giveBack(ORGANIZATION);
  const claims = [0, 1, 2].map(() => bounds.claim(ORGANIZATION, 2));
  assert.deepEqual(claims, [true, true, false]);
  for (let claim = 0; claim < 3; claim += 1) bounds.stored(ORGANIZATION);
  assert.equal(bounds.claim(ORGANIZATION, 4), true);
  assert.equal(bounds.claim(ORGANIZATION, 4), false);
});

test('queue bounds: message stored during a count → still counted', async () => {
  const { bounds, table, clock } = boundsOver(0);
  assert.equal(await bounds.claim(ORGANIZATION, 1), true);
  const answered = Promise.withResolvers<void>();
  table.answered = answered.promise;
  clock.advance(3_001);
  assert.equal(bounds.claim(ORGANIZATION, 1), false);
  bounds.stored(ORGANIZATION);
  answered.resolve();
  await turn();
  assert.equal(bounds.claim(ORGANIZATION, 1), false);
});
