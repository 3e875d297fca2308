import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { Chores } from './chores.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('chores: once → runs once after its delay; stopped before → does not run', async () => {
  const clock = createManualClock();
  const chores = new Chores({ clock, log: { warn: () => {} } });
  let begun = 0;
  const work = async () => {
    begun += 1;
  };
  chores.once(100, work);
  clock.advance(99);
  assert.equal(begun, 0);
  clock.advance(1_000);
  assert.equal(begun, 1);
  await turn();
  clock.advance(1_000);
  chores.once(100, work);
  await chores.stop();
  clock.advance(1_000);
  assert.equal(begun, 1);
});

test('chores: every → repeats after each end, failed or not, until stopped', async () => {
  const clock = createManualClock();
  const warnings: unknown[] = [];
  const chores = new Chores({ clock, log: { warn: (line: unknown) => warnings.push(line) } });
  const ends: PromiseWithResolvers<void>[] = [];
  const work = () => {
    const end = Promise.withResolvers<void>();
    ends.push(end);
    return end.promise;
  };
  chores.every(100, work, 10);
  clock.advance(10);
  clock.advance(1_000);
  assert.equal(ends.length, 1, 'one at a time');
  ends[0]?.reject(new Error('no'));
  await turn();
  assert.equal(warnings.length, 1);
  clock.advance(99);
  assert.equal(ends.length, 1);
  clock.advance(1);
  assert.equal(ends.length, 2);
  chores.every(100, work);
  const stopped = chores.stop();
  ends[1]?.reject(new Error('the pool is closed'));
  await stopped;
  clock.advance(1_000);
  assert.deepEqual([ends.length, warnings.length], [2, 1]);
});

test('chores: woken while it rests → starts at once, only once; then its next delay', async () => {
  const clock = createManualClock();
  const chores = new Chores({ clock, log: { warn: () => {} } });
  let begun = 0;
  const wake = chores.every(
    () => (begun === 0 ? 10 : 1_000),
    async () => {
      begun += 1;
    },
  );
  wake();
  wake();
  await turn();
  clock.advance(999);
  assert.equal(begun, 1);
  clock.advance(1);
  assert.equal(begun, 2);
  await chores.stop();
  wake();
  assert.equal(begun, 2);
});
