import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { MicroBatcher } from './micro-batcher.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A batcher of numbers that notes its batches and ends each when told to. */
function setUp(
  options: { itemsMax?: number; lanes?: number; besideMin?: number; spacingMs?: number; enough?: number } = {},
) {
  const { itemsMax = 3, lanes = 1, besideMin = 1, spacingMs, enough } = options;
  const clock = createManualClock();
  const batches: number[][] = [];
  const ends: (() => void)[] = [];
  const batcher = new MicroBatcher<number, number>({
    flush(items) {
      batches.push(items);
      return new Promise((resolve) => ends.push(() => resolve(items.map((item) => item * 10))));
    },
    itemsMax,
    lanes,
    besideMin,
    ...(enough !== undefined && { enough }),
    ...(spacingMs !== undefined && { spacing: { ms: spacingMs, clock } }),
    bound: { pendingMax: 5, overflow: () => new Error('too many') },
  });
  return { batcher, batches, clock, end: (index: number) => ends[index]?.() };
}

test('what comes in one turn is one batch, what comes during a batch is the next, and each item gets its own result', async () => {
  const { batcher, batches, end } = setUp();
  const first = [batcher.submit(1), batcher.submit(2)];
  await turn();
  const second = batcher.submit(3);
  await turn();
  assert.deepEqual(batches, [[1, 2]]);
  end(0);
  assert.deepEqual(await Promise.all(first), [10, 20]);
  await turn();
  assert.deepEqual(batches, [[1, 2], [3]]);
  end(1);
  assert.equal(await second, 30);
  await batcher.idle();
});

test('no batch outgrows its size, and no more are under way than there are lanes', async () => {
  const { batcher, batches, end } = setUp({ itemsMax: 2, lanes: 2 });
  for (const item of [1, 2, 3, 4, 5]) void batcher.submit(item);
  await turn();
  await turn();
  assert.deepEqual(batches, [
    [1, 2],
    [3, 4],
  ]);
  end(1);
  await turn();
  await turn();
  assert.deepEqual(batches[2], [5]);
});

test('a batch begins beside another only when it is worth it, and what waits for that goes when the other is done', async () => {
  const { batcher, batches, end } = setUp({ lanes: 2, besideMin: 2 });
  void batcher.submit(1);
  await turn();
  void batcher.submit(2);
  await turn();
  assert.deepEqual(batches, [[1]]);
  void batcher.submit(3);
  await turn();
  assert.deepEqual(batches, [[1], [2, 3]]);
  void batcher.submit(4);
  await turn();
  end(0);
  end(1);
  await turn();
  await turn();
  assert.deepEqual(batches, [[1], [2, 3], [4]]);
});

test('a batch begins at once after a pause, and a spacing after the last one under load', async () => {
  const { batcher, batches, clock, end } = setUp({ lanes: 2, spacingMs: 3 });
  void batcher.submit(1);
  await turn();
  assert.deepEqual(batches, [[1]]);
  end(0);
  clock.advance(1);
  void batcher.submit(2);
  await turn();
  clock.advance(1);
  void batcher.submit(3);
  await turn();
  assert.equal(batches.length, 1);
  clock.advance(1);
  assert.deepEqual(batches[1], [2, 3]);
});

test('a full batch waits for no spacing', async () => {
  const { batcher, batches, clock } = setUp({ itemsMax: 2, lanes: 3, spacingMs: 1000 });
  void batcher.submit(1);
  await turn();
  void batcher.submit(2);
  void batcher.submit(3);
  await turn();
  assert.deepEqual(batches, [[1], [2, 3]]);
  void batcher.submit(4);
  void batcher.submit(5);
  clock.advance(1000);
  await turn();
  assert.deepEqual(batches, [[1], [2, 3], [4, 5]], 'and begins once, if that is over just then');
});

test('enough items are a batch at once, in the middle of a turn, and when a lane becomes free all that waits', async () => {
  const { batcher, batches, end } = setUp({ itemsMax: 4, lanes: 1, enough: 2 });
  void batcher.submit(1);
  assert.deepEqual(batches, []);
  void batcher.submit(2);
  assert.deepEqual(batches, [[1, 2]]);
  for (const item of [3, 4, 5]) void batcher.submit(item);
  end(0);
  await turn();
  assert.deepEqual(batches, [
    [1, 2],
    [3, 4, 5],
  ]);
});

test('a batch of enough items waits for no spacing, and one of fewer does', async () => {
  const { batcher, batches, clock } = setUp({ itemsMax: 3, lanes: 3, spacingMs: 1000, enough: 2 });
  void batcher.submit(1);
  await turn();
  void batcher.submit(2);
  await turn();
  assert.deepEqual(batches, [[1]]);
  void batcher.submit(3);
  await turn();
  assert.deepEqual(batches, [[1], [2, 3]]);
  void batcher.submit(4);
  await turn();
  clock.advance(999);
  assert.equal(batches.length, 2);
  clock.advance(1);
  assert.deepEqual(batches[2], [4]);
});

test('is idle only when every batch under way is done', async () => {
  const { batcher, end } = setUp({ itemsMax: 1, lanes: 2 });
  void batcher.submit(1);
  void batcher.submit(2);
  await turn();
  await turn();
  let idle = false;
  const waiting = batcher.idle().then(() => {
    idle = true;
  });
  end(0);
  await turn();
  assert.equal(idle, false);
  end(1);
  await waiting;
});

test('is idle only when what waits for its spacing is done, too', async () => {
  const { batcher, clock, end } = setUp({ spacingMs: 3 });
  void batcher.submit(1);
  await turn();
  end(0);
  void batcher.submit(2);
  let idle = false;
  const waiting = batcher.idle().then(() => {
    idle = true;
  });
  await turn();
  assert.equal(idle, false);
  clock.advance(3);
  end(1);
  await waiting;
});

test('a failing batch fails its own items alone, and too many waiting are refused', async () => {
  let fail = true;
  const batcher = new MicroBatcher<number, number>({
    flush: async (items) => {
      if (fail) throw new Error('no');
      return items;
    },
    itemsMax: 1,
    lanes: 1,
    bound: { pendingMax: 1, overflow: () => new Error('too many') },
  });
  const [first, second, third] = [1, 2, 3].map((item) => batcher.submit(item));
  await Promise.all([
    assert.rejects(first as Promise<number>, /no/),
    assert.rejects(second as Promise<number>, /no/),
    assert.rejects(third as Promise<number>, /too many/),
  ]);
  fail = false;
  assert.equal(await batcher.submit(4), 4);
});
