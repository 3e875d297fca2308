import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertTokenBucket } from '../../../test/support/scheduler-model/referees.ts';
import { bucketLimit, chargedTatMs, readyAtMs } from './rate-limit.ts';

test('pair: full bucket → sends its burst at once, then one message per interval', () => {
  const limit = bucketLimit(6000, 45);
  let tatMs = Number.NEGATIVE_INFINITY;
  let sent = 0;
  while (readyAtMs(limit, tatMs) <= 1000) {
    tatMs = chargedTatMs(limit, tatMs, 1000, 1);
    sent += 1;
  }
  assert.equal(sent, 45);
  assert.equal(readyAtMs(limit, tatMs), 7000);
  assert.equal(readyAtMs(limit, chargedTatMs(limit, tatMs, 7000, 1)), 13_000);
});

test('rate limit: any sequence of messages → never overdraws a token bucket of its size', () => {
  const gaps = fc.array(fc.double({ min: 0, max: 500, noNaN: true }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 300 }), gaps, (burst, intervalMs, waits) => {
      const limit = bucketLimit(intervalMs, burst);
      let tatMs = Number.NEGATIVE_INFINITY;
      let nowMs = 0;
      const times: number[] = [];
      for (const waitMs of waits) {
        nowMs += waitMs;
        if (readyAtMs(limit, tatMs) > nowMs) continue;
        tatMs = chargedTatMs(limit, tatMs, nowMs, 1);
        times.push(nowMs);
      }
      assertTokenBucket(times, intervalMs, burst, 'limit');
    }),
  );
});
