import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import type { QueuedNumber } from '../queue/queue-count-queries.ts';
import { SharedCounts } from './shared-counts.ts';

/** Counts on a queue of the given length; each count takes the given time. */
function setUp({ queued, takesMs }: { queued: number; takesMs: number }) {
  const clock = createManualClock();
  const counts = new SharedCounts(clock);
  let counted = 0;
  const count = async () => {
    counted += 1;
    clock.advance(takesMs);
    const flow = { flowId: 4, apiKeyId: null, queued, oldestWaitSeconds: 1 };
    return [{ numberId: 1, flows: [flow] } as unknown as QueuedNumber];
  };
  const read = async () => {
    await counts.read('all', count);
    return counted;
  };
  return { clock, counts, read };
}

test('a short queue: counted for every reader', async () => {
  const { read } = setUp({ queued: 9_999, takesMs: 100 });
  assert.deepEqual([await read(), await read()], [1, 2]);
});

test('a long queue: count reused for 50 times its duration, 30 s at most', async () => {
  for (const [takesMs, reuseMs] of [
    [100, 5_000],
    [3_000, 30_000],
  ] as const) {
    const { clock, read } = setUp({ queued: 10_000, takesMs });
    assert.equal(await read(), 1);
    clock.advance(reuseMs - 1);
    assert.equal(await read(), 1);
    clock.advance(1);
    assert.deepEqual(await Promise.all([read(), read()]), [2, 2]);
  }
});

test('a first count that takes long: later readers wait for the same one', async () => {
  const clock = createManualClock();
  const counts = new SharedCounts(clock);
  const first = Promise.withResolvers<QueuedNumber[]>();
  const long = counts.read('all', () => first.promise);
  const fresh = await counts.read('all', async () => []);
  assert.deepEqual(fresh.numbers, []);
  const second = Promise.withResolvers<QueuedNumber[]>();
  const other = counts.read('all', () => second.promise);
  clock.advance(501);
  const joined = counts.read('all', () => Promise.reject(new Error('counted again')));
  second.resolve([]);
  assert.equal(await joined, await other);
  first.resolve([]);
  await long;
});

test('a change of a number: next reader counts again, a count that it overtook is not reused', async () => {
  const { counts, read } = setUp({ queued: 10_000, takesMs: 100 });
  await read();
  counts.clear();
  const overtaken = read();
  counts.clear();
  assert.equal(await overtaken, 2);
  assert.equal(await read(), 3);
  assert.equal(await read(), 3);
});
