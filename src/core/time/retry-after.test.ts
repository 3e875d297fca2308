import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRetryAfter } from './retry-after.ts';

const DAY_MS = 24 * 60 * 60_000;

test('Retry-After: seconds or a date → milliseconds, at most a day', () => {
  const nowMs = Date.UTC(2026, 10, 2, 10, 0, 0);
  const cases: [string | undefined, number | undefined][] = [
    [undefined, undefined],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['0', 0],
    // Date.parse alone would read the year 3600.
    ['3600.5', 3_600_500],
    ['Mon, 02 Nov 2026 10:01:00 GMT', 60_000],
    ['Mon, 02 Nov 2026 09:00:00 GMT', 0],
    ['99999999999', DAY_MS],
    ['Fri, 01 Jan 2100 00:00:00 GMT', DAY_MS],
    ['soon', undefined],
    ['', undefined],
    ['-', undefined],
  ];
  for (const [header, expected] of cases) assert.equal(readRetryAfter(header, nowMs), expected, String(header));
});
