import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeToLiveMs } from './time-to-live.ts';

const DAYS_30 = 30 * 86_400;

for (const [category, stated, seconds] of [
  ['AUTHENTICATION', '60', 60],
  ['authentication', 900, 900],
  ['AUTHENTICATION', null, 600],
  ['AUTHENTICATION', undefined, 600],
  ['AUTHENTICATION', '-1', DAYS_30],
  ['AUTHENTICATION', 0, 600],
  ['AUTHENTICATION', '1.5', 600],
  ['AUTHENTICATION', [60], 600],
  ['AUTHENTICATION', true, 600],
  ['UTILITY', '43200', 43_200],
  ['UTILITY', -1, DAYS_30],
  ['UTILITY', 'soon', DAYS_30],
  ['MARKETING', 1e12, DAYS_30],
  [undefined, undefined, DAYS_30],
  [undefined, 60, 60],
  [{ toString: 1 }, Number.NaN, DAYS_30],
] as const) {
  test(`time to live: ${JSON.stringify(category)}, ${JSON.stringify(stated)} → ${seconds} s`, () => {
    assert.equal(timeToLiveMs(category, stated), seconds * 1_000);
  });
}
