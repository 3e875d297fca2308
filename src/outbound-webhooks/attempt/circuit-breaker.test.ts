import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasBeenDown, hasFailedTooLong, isOpen, probeIntervalMs } from './circuit-breaker.ts';

const DAY_MS = 24 * 60 * 60_000;

test('the tenth straight failure opens the breaker', () => {
  assert.equal(isOpen(9), false);
  assert.equal(isOpen(10), true);
});

test('probes come every 10 seconds at first and every 5 minutes in the end', () => {
  assert.equal(probeIntervalMs(10, 0.5), 10_000);
  assert.equal(probeIntervalMs(11, 0.5), 20_000);
  for (const failures of [15, 1_000, 1_000_000]) assert.equal(probeIntervalMs(failures, 0.5), 300_000);
  assert.ok(probeIntervalMs(10, 0) >= 8_000 && probeIntervalMs(10, 0.999) <= 12_000);
});

test('five minutes of nothing but failures, ten of them at least, are an endpoint that has been down', () => {
  assert.equal(hasBeenDown({ failuresInRow: 10, failingSinceMs: 7_000 }, 307_000), true);
  assert.equal(hasBeenDown({ failuresInRow: 10, failingSinceMs: 7_000 }, 306_999), false);
  assert.equal(hasBeenDown({ failuresInRow: 9, failingSinceMs: 7_000 }, 400_000), false);
  assert.equal(hasBeenDown({ failuresInRow: 10, failingSinceMs: null }, 400_000), false);
});

test('five days of nothing but failures, ten of them at least, disable', () => {
  assert.equal(hasFailedTooLong({ failuresInRow: 10, failingSinceMs: 7_000 }, 5 * DAY_MS + 7_000), true);
  assert.equal(hasFailedTooLong({ failuresInRow: 10, failingSinceMs: 7_000 }, 5 * DAY_MS + 6_999), false);
  assert.equal(hasFailedTooLong({ failuresInRow: 9, failingSinceMs: 7_000 }, 50 * DAY_MS), false);
  assert.equal(hasFailedTooLong({ failuresInRow: 10, failingSinceMs: null }, 50 * DAY_MS), false);
});
