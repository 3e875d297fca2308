import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './simulation.ts';

test('a seed: every run does the same, so that its findings can be repeated', async () => {
  for (const seed of [3, 124]) {
    const first = await simulate(seed);
    const second = await simulate(seed);
    assert.equal(first.violation, undefined);
    assert.deepEqual([second.hash, second.events], [first.hash, first.events]);
  }
});
