import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleEndpoint } from '../../../test/support/outbound-webhooks/sample-endpoint.ts';
import { EndpointPace } from './endpoint-pace.ts';

function paced(ratePerSecond: number | null): EndpointPace {
  return new EndpointPace(sampleEndpoint({ ratePerSecond }), () => 0.5);
}

/** Counts the items that pass in `durationMs` if one is always waiting. */
function passIn(pace: EndpointPace, durationMs: number): number {
  let passed = 0;
  for (let nowMs = 0; nowMs < durationMs; nowMs += 1) {
    while (pace.readyAtMs <= nowMs) {
      pace.started(nowMs);
      passed += 1;
      if (passed > 1_000_000) return passed;
    }
  }
  return passed;
}

test('endpoint pace: constant demand → no more than the rate passes, plus a short burst', () => {
  for (const rate of [0.5, 1, 7, 50, 1_000]) {
    const passed = passIn(paced(rate), 10_000);
    assert.ok(Math.abs(passed - rate * 10) <= Math.max(1, rate * 0.2) + 1, `${rate}/s: ${passed}`);
  }
});

test('endpoint pace: idle time → not saved up; a burst is a fifth of a second of the rate', () => {
  const pace = paced(100);
  pace.started(0);
  let passed = 0;
  while (pace.readyAtMs <= 60_000) {
    pace.started(60_000);
    passed += 1;
  }
  assert.equal(passed, 21);
  assert.equal(pace.readyAtMs, 60_010);
});

test('endpoint pace: same rate set again → earlier items still count', () => {
  const pace = paced(1);
  pace.started(60_000);
  pace.setRate(1);
  assert.equal(pace.readyAtMs, 60_800);
});

test('endpoint pace: higher rate set → in force at once, however low the old one was', () => {
  const pace = paced(0.001);
  pace.started(0);
  assert.ok(pace.readyAtMs > 500_000);
  pace.setRate(100);
  assert.ok(pace.readyAtMs <= 0);
});

test('endpoint pace: no rate → everything passes; rate set → in force at once', () => {
  const pace = paced(null);
  for (let i = 0; i < 1_000; i += 1) pace.started(0);
  assert.ok(pace.readyAtMs <= 0);
  pace.setRate(1);
  pace.started(0);
  pace.started(0);
  assert.ok(pace.readyAtMs > 0);
});
