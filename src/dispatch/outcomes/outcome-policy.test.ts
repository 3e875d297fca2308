import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SendOutcome } from '../../upstream/index.ts';
import { flowIdOf, type TrafficClass, trafficClasses } from '../scheduler/index.ts';
import { type AttemptFacts, HOLD_TIMES, holdAfterGap, paceSignalOf, reactTo } from './outcome-policy.ts';

const { afterGapMsMax, lengthenedMsMax } = HOLD_TIMES;

test('gap: young hold → lasts as long again as it is old, up to a limit, gap not counted', () => {
  const after = (ageMs: number, gapMs: number) => holdAfterGap({ ageMs, holdUntilMs: 30_000 }, ageMs, gapMs);
  assert.equal(after(12_000, 2_000), 32_000);
  assert.equal(after(60_000, 50_000), 120_000);
  assert.equal(after(600_000, 590_000), 720_000);
});

test('gap: old hold → extended by the gap and no more', () => {
  const after = (ageMs: number, gapMs: number) => holdAfterGap({ ageMs, holdUntilMs: 305_000 }, ageMs, gapMs);
  assert.equal(after(301_001, 1_000), 306_000);
  assert.equal(after(301_000, 1_000), 421_000);
});

test('repeated gaps → no hold stays open forever', () => {
  const trouble = fc.record({ wellMs: fc.integer({ min: 1, max: 5_000 }), gapMs: fc.integer({ min: 1, max: 5_000 }) });
  fc.assert(
    fc.property(fc.infiniteStream(trouble), (troubles) => {
      let holdUntilMs = 30_000;
      let [nowMs, wellMs] = [0, 0];
      for (const trouble of troubles) {
        if (nowMs + trouble.wellMs >= holdUntilMs) break;
        nowMs += trouble.wellMs + trouble.gapMs;
        wellMs += trouble.wellMs;
        holdUntilMs = holdAfterGap({ ageMs: nowMs, holdUntilMs }, nowMs, trouble.gapMs);
        assert.ok(wellMs <= lengthenedMsMax + afterGapMsMax, `still held after ${wellMs} ms without trouble`);
      }
    }),
  );
});

function react(outcome: SendOutcome, facts: Partial<AttemptFacts> = {}, pairStrikes = 0) {
  return reactTo(outcome, { flowId: 0, attempt: 0, random: 0, unknownForMs: undefined, ...facts }, pairStrikes);
}

const throttled = (scope: 'number' | 'pair' | 'waba' | 'app', retryAfterMs: number | null = null): SendOutcome => ({
  kind: 'throttled',
  scope,
  code: '80007',
  message: null,
  retryAfterMs,
});
const unavailable = { kind: 'unavailable', reason: 'Busy.', code: null, retryAfterMs: null, isOutage: false } as const;

test('throttle → not counted, its scope waits as long as stated or by kind, plus jitter', () => {
  for (const [outcome, pairStrikes, random, waitMs] of [
    [throttled('number'), 0, 0, 1_000],
    [throttled('waba'), 0, 0, 60_000],
    [throttled('app'), 0, 0, 60_000],
    [throttled('app'), 0, 0.5, 67_500],
    [throttled('number', 7_000), 0, 0, 7_000],
    [throttled('number', 0), 0, 0, 1_000],
    [throttled('pair'), 0, 0, 1_000],
    [throttled('pair'), 3, 0, 64_000],
    [throttled('pair'), 5, 0, 1_024_000],
    [throttled('pair'), 6, 0, 1_024_000],
    [throttled('pair', 9_000), 3, 0, 9_000],
    [throttled('pair', 0), 3, 0, 1_000],
  ] as const) {
    assert.ok(outcome.kind === 'throttled');
    const { scope } = outcome;
    const park = { scope, waitMs, reason: 'upstream 80007' };
    const again = { kind: 'again', waitMs: 0, counted: false, refundPair: scope !== 'pair', park };
    assert.deepEqual(react(outcome, { random }, pairStrikes), again);
    const worded = react({ ...outcome, message: 'Slow down.' }, { random }, pairStrikes);
    assert.deepEqual(worded, { ...again, park: { ...park, reason: 'upstream 80007: Slow down.' } });
  }
});

test('temporary failure → retried after 1, 3, 9 and 27 s with jitter, then failed', () => {
  const again = { kind: 'again', counted: true, refundPair: true, park: undefined };
  for (const [attempt, waitMs] of [1_000, 3_000, 9_000, 27_000].entries()) {
    assert.deepEqual(react(unavailable, { attempt, random: 0 }), { ...again, waitMs: waitMs * 0.75 });
    assert.deepEqual(react(unavailable, { attempt, random: 0.5 }), { ...again, waitMs });
  }
  const told = (retryAfterMs: number) => react({ ...unavailable, retryAfterMs }, { attempt: 1, random: 0.5 });
  assert.deepEqual(told(4_000), { ...again, waitMs: 4_500 }, "not before the platform's time");
  assert.deepEqual(told(0), { ...again, waitMs: 3_000 }, 'five attempts are not used up at once');
  const failed = { kind: 'failed', errorCode: '131000', errorMessage: 'Busy.' };
  assert.deepEqual(react(unavailable, { attempt: 4 }), failed);
  assert.deepEqual(react({ ...unavailable, code: '1' }, { attempt: 4 }), { ...failed, errorCode: '1' });
});

test('outage → retried until the message expires, at last every minute', () => {
  const again = { kind: 'again', refundPair: true, park: undefined };
  const outage = { ...unavailable, code: '2', isOutage: true };
  for (const [attempt, waitMs] of [1_000, 3_000, 9_000, 27_000].entries()) {
    assert.deepEqual(react(outage, { attempt, random: 0.5 }), { ...again, waitMs, counted: true });
  }
  assert.deepEqual(react(outage, { attempt: 4, random: 0.5 }), { ...again, waitMs: 60_000, counted: false });
});

test('never sent → retried uncounted, at once if withheld, else once the platform is reachable', () => {
  const again = { kind: 'again', waitMs: 0, counted: false, refundPair: true };
  assert.deepEqual(react({ kind: 'unsent', reason: 'withheld' }), { ...again, park: undefined });
  for (const [random, waitMs] of [
    [0, 500],
    [0.5, 1_000],
  ] as const) {
    const park = { scope: 'platform', waitMs, reason: 'upstream unreachable (connect)' };
    assert.deepEqual(react({ kind: 'unsent', reason: 'connect' }, { random }), { ...again, park });
  }
});

test('resend: platform unreachable → held on, as long as the first attempt is old', () => {
  const reactAfter = (unknownForMs: number) =>
    react({ kind: 'unsent', reason: 'connect' }, { flowId: 5, unknownForMs });
  const park = { scope: 'platform', waitMs: 500, reason: 'upstream unreachable (connect)' };
  assert.deepEqual(reactAfter(0), { kind: 'holdOn', waitMs: 30_000, park });
  assert.deepEqual(reactAfter(70_000), { kind: 'holdOn', waitMs: 70_000, park });
  assert.deepEqual(reactAfter(86_400_000), { kind: 'holdOn', waitMs: 120_000, park });
  assert.equal(react({ kind: 'unsent', reason: 'withheld' }, { unknownForMs: 70_000 }).kind, 'again');
});

test('unknown outcome → held for 30 s, for 8 s if it is a code', () => {
  const held = (trafficClass: TrafficClass) =>
    react({ kind: 'unknown', reason: 'timeout' }, { flowId: flowIdOf(7, trafficClass) });
  assert.deepEqual(held(trafficClasses.authentication), { kind: 'hold', waitMs: 8_000 });
  for (const other of [trafficClasses.session, trafficClasses.utility, trafficClasses.marketing]) {
    assert.deepEqual(held(other), { kind: 'hold', waitMs: 30_000 });
  }
});

test('outcome: number throttle, trouble or accepted → pace signal, others none', () => {
  const provider = { code: 131_026, message: 'Undeliverable.', error_user_title: '', error_user_msg: '' };
  const signals = new Map<SendOutcome, ReturnType<typeof paceSignalOf>>([
    [{ kind: 'accepted', wamid: 'wamid.1' }, 'accepted'],
    [throttled('number'), 'throttled'],
    [throttled('pair'), undefined],
    [throttled('waba'), undefined],
    [throttled('app'), undefined],
    [unavailable, 'trouble'],
    [{ kind: 'unknown', reason: 'timeout' }, 'trouble'],
    [{ kind: 'rejected', code: '131026', message: 'Undeliverable.', provider }, undefined],
    [{ kind: 'blocked', scope: 'number', code: '131031', message: 'Locked.' }, undefined],
    [{ kind: 'unsent', reason: 'connect' }, undefined],
  ]);
  for (const [outcome, signal] of signals) assert.equal(paceSignalOf(outcome), signal, JSON.stringify(outcome));
});
