import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { MicroBatcher } from './micro-batcher.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A batcher of numbers that records its batches and ends each on demand. */
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

test('micro-batcher: items of one turn → one batch; items during it → the next; own results', async () => {
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

test('micro-batcher: many items → no batch above its size, no more batches than lanes', async () => {
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

test('micro-batcher: besideMin → fewer items wait for the running batch, more start beside it', async () => {
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

test('micro-batcher: spacing → immediate start after a pause, spaced starts under load', async () => {
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

test('micro-batcher: full batch → starts without spacing', async () => {
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
  assert.deepEqual(batches, [[1], [2, 3], [4, 5]], 'a spacing that ends at the same time starts no second batch');
});

test('micro-batcher: enough items → a batch within the turn; a free lane → all that waits', async () => {
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

test('micro-batcher: enough items → no spacing; fewer items → spacing', async () => {
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

test('micro-batcher: idle → resolves when every running batch is done', async () => {
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

test('micro-batcher: idle → also waits for items held back by spacing', async () => {
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

test('micro-batcher: failed batch → fails its own items only; full buffer → refuses', async () => {
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
