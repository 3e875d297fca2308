import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { Alarm } from './alarm.ts';

test('alarm: several demands → one call, at the earliest; none after a stop', () => {
  const clock = createManualClock();
  let rung = 0;
  const alarm = new Alarm(clock, { minMs: 10, maxMs: 1_000 }, () => {
    rung += 1;
  });
  const startMs = clock.monotonicMs();
  alarm.by(startMs + 500);
  alarm.by(startMs + 100);
  alarm.by(startMs + 300);
  clock.advance(99);
  assert.equal(rung, 0);
  clock.advance(1);
  assert.equal(rung, 1);
  clock.advance(5_000);
  assert.equal(rung, 1);
  alarm.by(clock.monotonicMs());
  clock.advance(9);
  assert.equal(rung, 1);
  clock.advance(1);
  assert.equal(rung, 2);
  alarm.by(Number.POSITIVE_INFINITY);
  clock.advance(1_000);
  assert.equal(rung, 3);
  alarm.by(clock.monotonicMs());
  alarm.stop();
  clock.advance(5_000);
  assert.equal(rung, 3);
});
