import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { StatusGaps } from './status-gaps.ts';

test('the platform is away → only after every attempt has failed to reach it for some seconds', () => {
  const clock = createManualClock();
  const gaps = new StatusGaps({ clock, log: pino({ level: 'silent' }), hasReceiver: async () => true });
  for (let second = 0; second < 20; second += 1) {
    clock.advance(1_000);
    gaps.notePlatform(second % 4 === 0);
    assert.equal(gaps.isPlatformAway, false);
  }
  for (let second = 0; second < 5; second += 1) {
    clock.advance(1_000);
    gaps.notePlatform(false);
  }
  assert.equal(gaps.isPlatformAway, true);
  gaps.notePlatform(true);
  assert.equal(gaps.isPlatformAway, false);
});
