import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLooks, isListCheaper, pauseMs, payCalls } from './review-schedule.ts';

const HOUR_MS = 3_600_000;

test('open review → looks start after 30 s and back off to one an hour', () => {
  const pauses = Array.from({ length: 12 }, (_, looks) => pauseMs(looks));
  assert.equal(pauses[0], 30_000);
  assert.ok(pauses.every((pause, looks) => pause >= (pauses[looks - 1] ?? 0)));
  assert.equal(pauses.at(-1), HOUR_MS);
  assert.equal(pauseMs(32_767), HOUR_MS);
});

test('firstLooks: temporary statuses → looks; final statuses → none', () => {
  const waba = { organizationId: 'o', wabaId: 'w' };
  const lookAfter = (status: string) => firstLooks([{ ...waba, status }], 1_000)[0];
  assert.deepEqual(lookAfter('PENDING'), { ...waba, looks: 0, dueAtMs: 31_000 });
  assert.deepEqual(lookAfter('IN_APPEAL'), { ...waba, looks: 0, dueAtMs: 31_000 });
  assert.ok((lookAfter('PAUSED')?.dueAtMs ?? 0) > 10 * 60_000);
  for (const status of ['APPROVED', 'REJECTED', 'DISABLED', 'DELETED', 'ARCHIVED', 'NEW']) {
    assert.equal(lookAfter(status), undefined, status);
  }
});

test('constant requests and large readings → calls stay below half the budget', () => {
  for (const callsPerLook of [1, 3, 60]) {
    let [nowMs, paidUntilMs, calls] = [0, 0, 0];
    while (nowMs < 3 * HOUR_MS) {
      calls += callsPerLook;
      const paid = payCalls(paidUntilMs, callsPerLook, nowMs);
      paidUntilMs = paid.paidUntilMs;
      nowMs = Math.max(nowMs + 1000, paid.freeAtMs);
    }
    assert.ok(calls <= 3 * 60 + 10 + callsPerLook, `${calls} calls in three hours, ${callsPerLook} a look`);
  }
});

test('clock set back → calls recorded ahead delay no look', () => {
  const paid = payCalls(30 * 24 * HOUR_MS, 1, 0);
  assert.ok(paid.freeAtMs <= 60_000, `${paid.freeAtMs} ms`);
});

test('few calls after a rest → next look free at once', () => {
  const paid = payCalls(0, 3, HOUR_MS);
  assert.equal(paid.freeAtMs, HOUR_MS);
});

test('isListCheaper: list takes fewer calls → true', () => {
  assert.equal(isListCheaper(1, 20), false);
  assert.equal(isListCheaper(2, 20), true);
  assert.equal(isListCheaper(3, 250), false);
  assert.equal(isListCheaper(4, 250), true);
  assert.equal(isListCheaper(0, 0), false);
});
