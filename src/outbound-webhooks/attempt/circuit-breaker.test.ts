import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasBeenDown, hasFailedTooLong, isOpen, probeIntervalMs } from './circuit-breaker.ts';

const DAY_MS = 24 * 60 * 60_000;

test('circuit breaker: tenth failure in a row → opens', () => {
  assert.equal(isOpen(9), false);
  assert.equal(isOpen(10), true);
});

test('probe interval: failures continue → grows from 10 seconds to 5 minutes', () => {
  assert.equal(probeIntervalMs(10, 0.5), 10_000);
  assert.equal(probeIntervalMs(11, 0.5), 20_000);
  for (const failures of [15, 1_000, 1_000_000]) assert.equal(probeIntervalMs(failures, 0.5), 300_000);
  assert.ok(probeIntervalMs(10, 0) >= 8_000 && probeIntervalMs(10, 0.999) <= 12_000);
});

test('health: 10 or more failures over 5 minutes → the endpoint has been down', () => {
  assert.equal(hasBeenDown({ failuresInRow: 10, failingSinceMs: 7_000 }, 307_000), true);
  assert.equal(hasBeenDown({ failuresInRow: 10, failingSinceMs: 7_000 }, 306_999), false);
  assert.equal(hasBeenDown({ failuresInRow: 9, failingSinceMs: 7_000 }, 400_000), false);
  assert.equal(hasBeenDown({ failuresInRow: 10, failingSinceMs: null }, 400_000), false);
});

test('health: 10 or more failures over 5 days → the endpoint is to be disabled', () => {
  assert.equal(hasFailedTooLong({ failuresInRow: 10, failingSinceMs: 7_000 }, 5 * DAY_MS + 7_000), true);
  assert.equal(hasFailedTooLong({ failuresInRow: 10, failingSinceMs: 7_000 }, 5 * DAY_MS + 6_999), false);
  assert.equal(hasFailedTooLong({ failuresInRow: 9, failingSinceMs: 7_000 }, 50 * DAY_MS), false);
  assert.equal(hasFailedTooLong({ failuresInRow: 10, failingSinceMs: null }, 50 * DAY_MS), false);
});
