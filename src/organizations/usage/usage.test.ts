import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarizeUsage } from './usage.ts';

test("usage: a month's metrics → sorted into the report, 0 for metrics without a count", () => {
  const usage = summarizeUsage('2026-08', [
    { metric: 'accepted', value: 3 },
    { metric: 'category:utility', value: 2 },
    { metric: 'category:service', value: 1 },
    // Its messages have moved to another category.
    { metric: 'category:marketing', value: 0 },
    { metric: 'pricing:regular', value: 2 },
    { metric: 'spent_micros', value: 50_000 },
    { metric: 'something_newer', value: 9 },
  ]);
  assert.deepEqual(usage, {
    month: '2026-08',
    accepted: 3,
    sent: 0,
    delivered: 0,
    failed: 0,
    byCategory: { utility: 2, service: 1 },
    byPricing: { regular: 2 },
    spentMicros: 50_000,
  });
});
