import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HOLD_TIMES, holdAfterGap } from './outcome-policy.ts';

const { afterGapMsMax, lengthenedMsMax } = HOLD_TIMES;

test('after a gap a young hold lasts as long as it is old, within a limit, and the gap itself does not count', () => {
  const attempt = { attemptedAtMs: 0, holdUntilMs: 30_000 };
  assert.equal(holdAfterGap(attempt, 12_000, 2_000), 32_000);
  assert.equal(holdAfterGap(attempt, 60_000, 50_000), 120_000);
  assert.equal(holdAfterGap(attempt, 600_000, 590_000), 600_000 + afterGapMsMax);
});

test('gaps that come again and again keep no hold open for good', () => {
  const trouble = fc.record({ wellMs: fc.integer({ min: 1, max: 5_000 }), gapMs: fc.integer({ min: 1, max: 5_000 }) });
  fc.assert(
    fc.property(fc.infiniteStream(trouble), (troubles) => {
      let hold = { attemptedAtMs: 0, holdUntilMs: 30_000 };
      let [nowMs, wellMs] = [0, 0];
      for (const trouble of troubles) {
        if (nowMs + trouble.wellMs >= hold.holdUntilMs) break;
        nowMs += trouble.wellMs + trouble.gapMs;
        wellMs += trouble.wellMs;
        hold = { ...hold, holdUntilMs: holdAfterGap(hold, nowMs, trouble.gapMs) };
        assert.ok(wellMs <= lengthenedMsMax + afterGapMsMax, `still held after ${wellMs} ms without trouble`);
      }
    }),
  );
});
