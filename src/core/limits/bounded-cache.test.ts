import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createBoundedCache } from './bounded-cache.ts';

/** A source whose loads are answered by hand, with the value it had when each load began. */
function createTruth() {
  const values = new Map<string, number>();
  const loads: { key: string; answer: () => void; fail: (error: Error) => void }[] = [];
  const load = (key: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const value = values.get(key);
    loads.push({ key, answer: () => resolve(value), fail: reject });
    return promise;
  };
  return { values, loads, load };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('bounded cache: cached value → returned at once, loaded once', async () => {
  const { values, loads, load } = createTruth();
  values.set('a', 1);
  const cache = createBoundedCache({ max: 2, load });
  const first = cache.get('a');
  assert.ok(first instanceof Promise);
  const second = cache.get('a');
  await turn();
  assert.equal(loads.length, 1, 'concurrent callers share a load');
  loads[0]?.answer();
  assert.deepEqual(await Promise.all([first, second]), [1, 1]);
  assert.equal(cache.get('a'), 1);
});

test('bounded cache: invalidated or cleared → loaded again, for values and misses alike', async () => {
  const values = new Map<string, number | undefined>();
  const cache = createBoundedCache({ max: 2, load: async (key: string) => values.get(key) });
  for (const forget of [() => cache.invalidate('a'), () => cache.clear()]) {
    for (const value of [1, 2, undefined, 3]) {
      values.set('a', value);
      forget();
      assert.equal(await cache.get('a'), value);
      assert.equal(cache.get('a'), value, 'it is remembered');
    }
  }
});

test('bounded cache: invalidation during a load → later callers share another load', async () => {
  const { values, loads, load } = createTruth();
  values.set('a', 1);
  const cache = createBoundedCache({ max: 2, load });
  const before = cache.get('a');
  await turn();
  values.set('a', 2);
  cache.invalidate('a');
  const after = [cache.get('a'), cache.get('a')];
  await turn();
  assert.equal(loads.length, 1, 'one load of a key at a time');
  loads[0]?.answer();
  assert.equal(await before, 1);
  await turn();
  assert.equal(loads.length, 2);
  loads[1]?.answer();
  assert.deepEqual(await Promise.all(after), [2, 2]);
  assert.equal(cache.get('a'), 2);
});

test('bounded cache: clear during a load → counts as an invalidation', async () => {
  const { values, loads, load } = createTruth();
  const cache = createBoundedCache({ max: 2, load });
  const before = cache.get('a');
  await turn();
  values.set('a', 1);
  cache.clear();
  const after = cache.get('a');
  loads[0]?.answer();
  assert.equal(await before, undefined);
  await turn();
  loads[1]?.answer();
  assert.equal(await after, 1);
});

test('bounded cache: frequent invalidations → no caller waits for more than two loads', async () => {
  const { loads, load } = createTruth();
  const cache = createBoundedCache({ max: 2, load });
  const waits: Promise<void>[] = [];
  let answered = 0;
  for (let round = 0; round < 20; round += 1) {
    const before = answered;
    const wait = Promise.resolve(cache.get('a'));
    waits.push(wait.then(() => assert.ok(answered <= before + 2, `waited for ${answered - before} loads`)));
    await turn();
    cache.invalidate('a');
    answered += 1;
    loads[round]?.answer();
    await turn();
  }
  const twenty = turn().then(() => assert.fail('a caller has waited for all of them'));
  await Promise.race([Promise.all(waits.slice(0, -2)), twenty]);
});

test('bounded cache: caller at the end of a load → shares the next load with waiting callers', async () => {
  const { values, loads, load } = createTruth();
  const cache = createBoundedCache({ max: 2, load });
  const before = Promise.resolve(cache.get('a'));
  const between = before.then(() => cache.get('a'));
  await turn();
  cache.invalidate('a');
  const after = cache.get('a');
  loads[0]?.answer();
  await turn();
  assert.equal(loads.length, 2, 'one load for both');
  values.set('a', 1);
  cache.invalidate('a');
  loads[1]?.answer();
  await Promise.all([between, after]);
  assert.ok(cache.get('a') instanceof Promise, 'nothing outdated is remembered');
});

test('bounded cache: failed load → does not fail callers after an invalidation', async () => {
  const { values, loads, load } = createTruth();
  const cache = createBoundedCache({ max: 2, load });
  const before = cache.get('a');
  await turn();
  values.set('a', 1);
  cache.invalidate('a');
  const after = cache.get('a');
  loads[0]?.fail(new Error('database away'));
  await assert.rejects(Promise.resolve(before), /database away/);
  await turn();
  loads[1]?.answer();
  assert.equal(await after, 1);
});

test('bounded cache: failed load → rejects all waiting callers; the next caller retries', async () => {
  const { loads, load } = createTruth();
  const cache = createBoundedCache({ max: 2, load });
  const both = [cache.get('a'), cache.get('a')];
  await turn();
  loads[0]?.fail(new Error('database away'));
  for (const waiting of both) await assert.rejects(Promise.resolve(waiting), /database away/);
  assert.ok(cache.get('a') instanceof Promise);
});

test('bounded cache: load that throws → the cache stays usable', async () => {
  let calls = 0;
  const cache = createBoundedCache<string, number>({
    max: 1,
    load: () => {
      calls += 1;
      if (calls === 1) throw new Error('early');
      return Promise.resolve(7);
    },
  });
  await assert.rejects(Promise.resolve(cache.get('a')), /early/);
  assert.equal(await cache.get('a'), 7);
});

test('bounded cache: full → evicts the least recently used value', async () => {
  const cache = createBoundedCache({ max: 2, load: async (key: string) => key.length });
  await cache.get('a');
  await cache.get('b');
  await cache.get('a');
  await cache.get('c');
  assert.equal(cache.get('a'), 1);
  assert.ok(cache.get('b') instanceof Promise);
});

test('bounded cache: used value → survives one eviction round only', async () => {
  const cache = createBoundedCache({ max: 2, load: async (key: string) => key.length });
  for (const key of ['a', 'b', 'a', 'c', 'd', 'e']) await cache.get(key);
  assert.equal(cache.get('e'), 1);
  assert.ok(cache.get('a') instanceof Promise);
});

test('bounded cache: many misses → evict only misses, of which `max` are kept', async () => {
  const cache = createBoundedCache({ max: 2, load: async (key: string) => (key === 'good' ? 1 : undefined) });
  await cache.get('good');
  for (let index = 0; index < 100; index += 1) await cache.get(`bad ${index}`);
  assert.equal(cache.get('good'), 1);
  for (const recent of ['bad 98', 'bad 99']) assert.equal(cache.get(recent), undefined);
  assert.ok(cache.get('bad 97') instanceof Promise);
});

test('bounded cache: expiry → counted from the start of the load', async () => {
  let nowMs = 0;
  const { values, loads, load } = createTruth();
  values.set('a', 1);
  const cache = createBoundedCache({ max: 2, load, expiry: { afterMs: 100, monotonicMs: () => nowMs } });
  const first = cache.get('a');
  await turn();
  nowMs = 60;
  loads[0]?.answer();
  await first;
  nowMs = 99;
  assert.equal(cache.get('a'), 1);
  nowMs = 100;
  assert.ok(cache.get('a') instanceof Promise);
});

test('bounded cache: any interleaving → no value older than an earlier invalidation', async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('get' as const), key: fc.constantFrom('a', 'b', 'c') }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const), key: fc.constantFrom('a', 'b', 'c') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('answer' as const), which: fc.nat(5) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('turn' as const) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { values, loads, load } = createTruth();
      const cache = createBoundedCache({ max: 2, load });
      const checks: Promise<void>[] = [];
      for (const now of steps) {
        if (now.kind === 'change') {
          values.set(now.key, (values.get(now.key) ?? 0) + 1);
          cache.invalidate(now.key);
        } else if (now.kind === 'get') {
          const atLeast = values.get(now.key) ?? 0;
          checks.push(Promise.resolve(cache.get(now.key)).then((value) => assert.ok((value ?? 0) >= atLeast)));
        } else if (now.kind === 'clear') cache.clear();
        else if (now.kind === 'answer') loads.splice(now.which % Math.max(1, loads.length), 1)[0]?.answer();
        else await turn();
      }
      let settled = false;
      const all = Promise.all(checks).finally(() => {
        settled = true;
      });
      while (!settled) {
        for (const waiting of loads.splice(0)) waiting.answer();
        await turn();
      }
      await all;
    }),
    { numRuns: 200 },
  );
});
