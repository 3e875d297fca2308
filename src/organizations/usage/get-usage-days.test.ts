import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysOf, summarizeDay } from './get-usage-days.ts';

test('days of a month: all of a past one, the begun ones of the present, none of the next', () => {
  const nowMs = Date.UTC(2028, 2, 3, 0, 0, 1);
  assert.equal(daysOf('2028-02', nowMs).at(-1), '2028-02-29');
  assert.deepEqual(daysOf('2028-03', nowMs), ['2028-03-01', '2028-03-02', '2028-03-03']);
  assert.deepEqual(daysOf('2028-04', nowMs), []);
});

test('a day: counters by name, charges summed over the other dimension', () => {
  const sums = [
    ['accepted', 5],
    ['spent_micros', 70],
    ['charged|marketing|US', 2],
    ['charged_micros|marketing|US', 40],
    ['charged|marketing|DE', 1],
    ['charged_micros|marketing|DE', 30],
    ['charged|service|', 4],
  ].map(([metric, value]) => ({ day: '2026-08-01', metric: String(metric), value: Number(value) }));
  const { groups, ...day } = summarizeDay('2026-08-01', sums, 'category');
  assert.deepEqual(day, { day: '2026-08-01', accepted: 5, sent: 0, delivered: 0, failed: 0, spentMicros: 70 });
  assert.deepEqual(groups, [
    { value: 'marketing', messages: 3, micros: 70 },
    { value: 'service', messages: 4, micros: 0 },
  ]);
  assert.deepEqual(
    summarizeDay('2026-08-01', sums, 'country').groups.map(({ value, messages }) => [value, messages]),
    [
      ['US', 2],
      ['DE', 1],
      [null, 4],
    ],
  );
});
