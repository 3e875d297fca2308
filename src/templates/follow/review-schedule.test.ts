import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLooks, isListCheaper, pauseMs, payCalls } from './review-schedule.ts';

const HOUR_MS = 3_600_000;

test('looks at an open review start after half a minute and back off to one an hour', () => {
  const pauses = Array.from({ length: 12 }, (_, looks) => pauseMs(looks));
  assert.equal(pauses[0], 30_000);
  assert.ok(pauses.every((pause, looks) => pause >= (pauses[looks - 1] ?? 0)));
  assert.equal(pauses.at(-1), HOUR_MS);
  assert.equal(pauseMs(32_767), HOUR_MS);
});

test('statuses the upstream ends by itself are looked at, those that stay are not', () => {
  const waba = { organizationId: 'o', wabaId: 'w' };
  const lookAfter = (status: string) => firstLooks([{ ...waba, status }], 1_000)[0];
  assert.deepEqual(lookAfter('PENDING'), { ...waba, looks: 0, dueAtMs: 31_000 });
  assert.deepEqual(lookAfter('IN_APPEAL'), { ...waba, looks: 0, dueAtMs: 31_000 });
  assert.ok((lookAfter('PAUSED')?.dueAtMs ?? 0) > 10 * 60_000);
  for (const status of ['APPROVED', 'REJECTED', 'DISABLED', 'DELETED', 'ARCHIVED', 'NEW']) {
    assert.equal(lookAfter(status), undefined, status);
  }
});

test('however often looks are asked for and however much they read, their calls stay below half the budget', () => {
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

test('calls that a clock which was ahead has noted keep no look waiting once it is set back', () => {
  const paid = payCalls(30 * 24 * HOUR_MS, 1, 0);
  assert.ok(paid.freeAtMs <= 60_000, `${paid.freeAtMs} ms`);
});

test('a few calls after a rest are free at once', () => {
  const paid = payCalls(0, 3, HOUR_MS);
  assert.equal(paid.freeAtMs, HOUR_MS);
});

test('all templates are read at once when that takes fewer calls', () => {
  assert.equal(isListCheaper(1, 20), false);
  assert.equal(isListCheaper(2, 20), true);
  assert.equal(isListCheaper(3, 250), false);
  assert.equal(isListCheaper(4, 250), true);
  assert.equal(isListCheaper(0, 0), false);
});
