import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readBucket, takeToken } from './token-bucket.ts';

test('token bucket: full → a second’s worth at once, then one per interval', () => {
  let fullAtMs: number | undefined;
  for (let taken = 0; taken < 5; taken += 1) {
    assert.deepEqual(readBucket(fullAtMs, 5, 0), { left: 5 - taken, waitMs: 0 });
    fullAtMs = takeToken(fullAtMs, 5, 0);
  }
  const empty = readBucket(fullAtMs, 5, 0);
  assert.equal(empty.left, 0);
  assert.ok(Math.abs(empty.waitMs - 200) < 0.001, String(empty.waitMs));
  assert.deepEqual(readBucket(fullAtMs, 5, 200), { left: 1, waitMs: 0 });
});

test('token bucket: long pause → fills up to its size only', () => {
  const fullAtMs = takeToken(undefined, 3, 0);
  assert.equal(readBucket(fullAtMs, 3, 1_000_000).left, 3);
});

test('token bucket: any time span → grants at most a full bucket plus the inflow', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 500 }),
      fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 400 }),
      (perSecond, pausesMs) => {
        let nowMs = 0;
        let fullAtMs: number | undefined;
        const grantedAtMs: number[] = [];
        for (const pauseMs of pausesMs) {
          nowMs += pauseMs;
          if (readBucket(fullAtMs, perSecond, nowMs).left < 1) continue;
          fullAtMs = takeToken(fullAtMs, perSecond, nowMs);
          grantedAtMs.push(nowMs);
        }
        for (const [first, startMs] of grantedAtMs.entries()) {
          for (const [last, endMs] of grantedAtMs.entries()) {
            if (last < first) continue;
            assert.ok(last - first + 1 <= perSecond + ((endMs - startMs) * perSecond) / 1000 + 1e-6);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});
