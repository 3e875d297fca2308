import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RepeatedLines } from './repeated-lines.ts';

const MINUTE_MS = 60_000;

test('repeated lines: same line within a minute → left out; later → written with the count', () => {
  const lines = new RepeatedLines();
  assert.equal(lines.leftOut('away', 0), 0);
  for (let atMs = 1_000; atMs < MINUTE_MS; atMs += 1_000) assert.equal(lines.leftOut('away', atMs), undefined);
  assert.equal(lines.leftOut('something else', 30_000), 0);
  assert.equal(lines.leftOut('away', MINUTE_MS), 59);
  assert.equal(lines.leftOut('away', MINUTE_MS + 1), undefined);
  assert.equal(lines.leftOut('away', 2 * MINUTE_MS), 1);
});

test('repeated lines: flood of single lines → repeated ones are still recognised', () => {
  const lines = new RepeatedLines();
  lines.leftOut('away', 0);
  for (let id = 0; id < 100_000; id += 1) {
    assert.equal(lines.leftOut(`request ${id} failed`, id / 10), 0);
    if (id % 500 === 0) assert.equal(lines.leftOut('away', id / 10), undefined);
  }
  assert.equal(lines.leftOut('request 0 failed', 10_000), 0, 'old lines are forgotten');
});
