import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PostRate } from './post-rate.ts';

test('post rate: even posts → their pace, within a second of the real one', () => {
  const rate = new PostRate();
  for (let nowMs = 0; nowMs < 60_000; nowMs += 50) {
    rate.count(nowMs);
    if (nowMs > 10_000) assert.ok(Math.abs(rate.perSecond(nowMs) - 20) < 1, `${nowMs}: ${rate.perSecond(nowMs)}`);
  }
});

test('post rate: no posts → falls to 0 within ten seconds, and counts again after a pause', () => {
  const rate = new PostRate();
  for (let nowMs = 0; nowMs < 5_000; nowMs += 100) rate.count(nowMs);
  assert.ok(rate.perSecond(7_000) > 0);
  assert.equal(rate.perSecond(10_100), 0);
  assert.equal(rate.perSecond(100_000), 0);
  rate.count(200_000);
  assert.equal(rate.perSecond(200_000), 0.2);
});
