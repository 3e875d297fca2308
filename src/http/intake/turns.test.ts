import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('turns: more work than fits in a turn → rest in the next ones, in order', async () => {
  const turns = new Turns(3);
  const done: number[] = [];
  const counts: number[] = [];
  turns.add(() => {
    done.push(0);
    turns.add(() => done.push(5));
  });
  for (const number of [1, 2, 3, 4]) turns.add(() => done.push(number));
  for (let count = 0; count < 4; count += 1) {
    counts.push(done.length);
    await turn();
  }
  assert.deepEqual(counts, [0, 3, 6, 6]);
  assert.deepEqual(done, [0, 1, 2, 3, 4, 5]);
});

test('turns: work waits → waitedMs is the wait of the next item', async () => {
  const turns = new Turns(1);
  assert.equal(turns.waitedMs, 0);
  turns.add(() => {});
  const startedAt = performance.now();
  while (performance.now() - startedAt < 5);
  assert.ok(turns.waitedMs >= 5);
  await turn();
  assert.equal(turns.waitedMs, 0);
});
