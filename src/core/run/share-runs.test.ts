import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareRuns } from './share-runs.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('share runs: calls during a run → share the next run, which starts when the first ends', async () => {
  const ends: (() => void)[] = [];
  const run = shareRuns(() => {
    const count = ends.length + 1;
    return new Promise<number>((resolve) => ends.push(() => resolve(count)));
  });
  const first = run();
  const others = [run(), run(), run()];
  await turn();
  assert.equal(ends.length, 1);
  ends[0]?.();
  assert.equal(await first, 1);
  await turn();
  assert.equal(ends.length, 2);
  ends[1]?.();
  assert.deepEqual(await Promise.all(others), [2, 2, 2]);
  void run();
  assert.equal(ends.length, 3);
  const later = run();
  ends[2]?.();
  await turn();
  assert.equal(ends.length, 4);
  ends[3]?.();
  assert.equal(await later, 4);
});

test('share runs: failed run → fails its own callers, not those of the next run', async () => {
  const results = [Promise.reject(new Error('no')), Promise.resolve('yes')];
  const run = shareRuns(() => results.shift() ?? Promise.reject(new Error('asked too often')));
  const first = run();
  const second = run();
  await assert.rejects(first, /no/);
  assert.equal(await second, 'yes');
});
