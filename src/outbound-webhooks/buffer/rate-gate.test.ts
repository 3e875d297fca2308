import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateGate } from './rate-gate.ts';

/** Counts the items that pass in `durationMs` if one is always waiting. */
function passIn(gate: RateGate, durationMs: number): number {
  let passed = 0;
  for (let nowMs = 0; nowMs < durationMs; nowMs += 1) {
    while (gate.openAtMs() <= nowMs) {
      gate.pass(nowMs);
      passed += 1;
      if (passed > 1_000_000) return passed;
    }
  }
  return passed;
}

test('rate gate: constant demand → no more than the rate passes, plus a short burst', () => {
  for (const rate of [0.5, 1, 7, 50, 1_000]) {
    const passed = passIn(new RateGate(rate), 10_000);
    assert.ok(Math.abs(passed - rate * 10) <= Math.max(1, rate * 0.2) + 1, `${rate}/s: ${passed}`);
  }
});

test('rate gate: idle time → not saved up; a burst is a fifth of a second of the rate', () => {
  const gate = new RateGate(100);
  gate.pass(0);
  let passed = 0;
  while (gate.openAtMs() <= 60_000) {
    gate.pass(60_000);
    passed += 1;
  }
  assert.equal(passed, 21);
  assert.equal(gate.openAtMs(), 60_010);
});

test('rate gate: same rate set again → earlier items still count', () => {
  const gate = new RateGate(1);
  gate.pass(60_000);
  gate.setRate(1);
  assert.equal(gate.openAtMs(), 60_800);
});

test('rate gate: higher rate set → in force at once, however low the old one was', () => {
  const gate = new RateGate(0.001);
  gate.pass(0);
  assert.ok(gate.openAtMs() > 500_000);
  gate.setRate(100);
  assert.ok(gate.openAtMs() <= 0);
});

test('rate gate: no rate → everything passes; rate set → in force at once', () => {
  const gate = new RateGate(null);
  for (let i = 0; i < 1_000; i += 1) gate.pass(0);
  assert.ok(gate.openAtMs() <= 0);
  gate.setRate(1);
  gate.pass(0);
  gate.pass(0);
  assert.ok(gate.openAtMs() > 0);
});
