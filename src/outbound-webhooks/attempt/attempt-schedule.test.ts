import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ATTEMPT_DELAYS_MS, delayAfter, jittered, RETRY_MS_MAX } from './attempt-schedule.ts';

test('attempt schedule: 12 attempts over 4 days → first at once, half within 3 hours', () => {
  const [minute, hour] = [60, 3_600];
  assert.deepEqual(
    ATTEMPT_DELAYS_MS.map((ms) => ms / 1_000),
    [0, 5, 30, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24, 24].map((hours) => hours * hour)],
  );
  assert.notEqual(delayAfter(11, 0.5), undefined);
  assert.equal(delayAfter(12, 0.5), undefined);
});

test('jitter: any random value → the wait changes by at most a fifth either way', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 11 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempts, random) => {
        const planMs = ATTEMPT_DELAYS_MS[attempts] ?? 0;
        const waitMs = delayAfter(attempts, random) ?? 0;
        assert.ok(waitMs >= planMs * 0.8 && waitMs <= planMs * 1.2 && waitMs <= RETRY_MS_MAX);
      },
    ),
  );
  assert.equal(jittered(1000, 0), 800);
  assert.equal(jittered(1000, 0.5), 1000);
});
