import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bucketLimit } from './rate-limit.ts';
import { RateMeter } from './rate-meter.ts';

const perSecond = (count: number) => bucketLimit(1000 / count, count);

test('rate meter: nothing counted → a whole bucket at once, then one per interval', () => {
  const meter = new RateMeter();
  const limit = perSecond(5);
  for (let taken = 0; taken < 5; taken += 1) {
    assert.equal(meter.left('a', limit, 0), 5 - taken);
    assert.equal(meter.waitMs('a', limit, 0), 0);
    meter.charge('a', limit, 0);
  }
  assert.equal(meter.left('a', limit, 0), 0);
  assert.equal(meter.waitMs('a', limit, 0), 200);
  assert.equal(meter.waitMs('a', limit, 0, 3), 600);
  assert.deepEqual([meter.left('a', limit, 200), meter.waitMs('a', limit, 200)], [1, 0]);
});

test('rate meter: parties → counted apart; a long pause fills a bucket to its size only', () => {
  const meter = new RateMeter();
  const limit = perSecond(3);
  meter.charge('a', limit, 0, 3);
  assert.equal(meter.left('b', limit, 0), 3);
  assert.equal(meter.left('a', limit, 1_000_000), 3);
});

test('rate meter: any time span → permits at most a full bucket plus the inflow', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 500 }),
      fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 400 }),
      (rate, pausesMs) => {
        const meter = new RateMeter();
        let nowMs = 0;
        const permittedAtMs: number[] = [];
        for (const pauseMs of pausesMs) {
          nowMs += pauseMs;
          if (meter.waitMs('a', perSecond(rate), nowMs) > 0) continue;
          meter.charge('a', perSecond(rate), nowMs);
          permittedAtMs.push(nowMs);
        }
        for (const [first, startMs] of permittedAtMs.entries()) {
          for (const [last, endMs] of permittedAtMs.entries()) {
            if (last >= first) assert.ok(last - first + 1 <= rate + ((endMs - startMs) * rate) / 1000 + 1e-6);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});
