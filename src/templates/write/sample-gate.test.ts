import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SampleGate } from './sample-gate.ts';

test('admit: 60 files a minute per organization, independent of others', () => {
  const gate = new SampleGate();
  for (let files = 0; files < 60; files += 20) gate.admit('one', 20, 0);
  assert.throws(() => gate.admit('one', 1, 0), { code: 'RATE_LIMITED', details: { retryAfterSeconds: 1 } });
  gate.admit('other', 60, 30_000);
  gate.admit('one', 60, 60_000);
});

test('run: more than four files → run in order; a failure frees its slot', async () => {
  const gate = new SampleGate();
  const started: number[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const runs = Array.from({ length: 7 }, (_, index) =>
    gate.run('one', async () => {
      started.push(index);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      await end.promise;
    }),
  );
  const outcomes = Promise.allSettled(runs);
  await new Promise(setImmediate);
  assert.deepEqual(started, [0, 1, 2, 3]);
  ends[1]?.reject(new Error('broken'));
  await new Promise(setImmediate);
  assert.deepEqual(started, [0, 1, 2, 3, 4]);
  await gate.run('other', async () => {});
  for (let index = 0; index < 7; index += 1) {
    ends[index]?.resolve();
    await new Promise(setImmediate);
  }
  assert.deepEqual(started, [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(
    (await outcomes).map(({ status }) => status),
    ['fulfilled', 'rejected', ...Array(5).fill('fulfilled')],
  );
});
