import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventLoopDelay } from './event-loop-delay.ts';

test('event loop delay: one long pause → 0; two → their delay, until 25 s later', (t) => {
  let nowMs = 0;
  t.mock.timers.enable({ apis: ['setInterval'] });
  t.mock.method(performance, 'now', () => nowMs);
  const delay = new EventLoopDelay();
  t.after(() => delay.stop());
  const look = (lateMs: number) => {
    nowMs += 250 + lateMs;
    t.mock.timers.tick(250);
    return delay.p99Ms;
  };
  assert.equal(look(500), 0);
  assert.equal(look(300), 300);
  const later = Array.from({ length: 100 }, () => look(0));
  assert.deepEqual(later.slice(-3), [300, 0, 0]);
});
