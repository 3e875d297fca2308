import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadTogether } from './load-together.ts';

test('load together: keys requested at once → one read, each key with its own value', async () => {
  const readings: string[][] = [];
  const load = loadTogether(async (keys) => {
    readings.push(keys);
    return new Map(keys.filter((key) => key !== 'absent').map((key) => [key, `value of ${key}`]));
  });
  assert.deepEqual(await Promise.all(['a', 'absent', 'b'].map(load)), ['value of a', undefined, 'value of b']);
  assert.deepEqual(readings, [['a', 'absent', 'b']]);
});

test('load together: key requested during its own read → read again', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let readings = 0;
  const load = loadTogether(async (keys) => {
    readings += 1;
    const value = readings;
    if (value === 1) await released;
    return new Map(keys.map((key) => [key, value]));
  });
  const first = load('a');
  await new Promise(setImmediate);
  assert.equal(await load('a'), 2);
  release();
  assert.equal(await first, 1);
});

test('load together: failed read → fails its own requests only', async () => {
  let readings = 0;
  const load = loadTogether(async (keys) => {
    readings += 1;
    if (readings === 1) throw new Error('no answer');
    return new Map(keys.map((key) => [key, key]));
  });
  await assert.rejects(load('a'), /no answer/);
  assert.equal(await load('a'), 'a');
});

test('load together: many keys → at most two reads in progress, each of at most 500 keys', async () => {
  const readings: number[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const load = loadTogether(async (keys) => {
    readings.push(keys.length);
    await released;
    return new Map();
  });
  const loads = Array.from({ length: 1_200 }, (_, index) => load(String(index)));
  for (let turns = 0; turns < 3; turns += 1) await new Promise(setImmediate);
  assert.deepEqual(readings, [500, 500]);
  release();
  await Promise.all(loads);
  assert.deepEqual(readings, [500, 500, 200]);
});
