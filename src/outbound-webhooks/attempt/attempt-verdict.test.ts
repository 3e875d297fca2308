import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WebhookOutcome } from '../../egress/index.ts';
import { judgeAttempt, recordOf, showsLife } from './attempt-verdict.ts';

const NOW_MS = Date.UTC(2026, 10, 2);
const answer = (status: number, retryAfter?: string): WebhookOutcome => ({
  kind: 'response',
  status,
  bodyStart: '',
  latencyMs: 12.4,
  ...(retryAfter !== undefined && { retryAfter }),
});
const judge = (outcome: WebhookOutcome, attempt = 1) => judgeAttempt(outcome, attempt, NOW_MS, 0.5);

test('verdict: answer 2xx → delivered; 1xx, 408, 429, 5xx or timeout → retry', () => {
  for (const status of [200, 201, 202, 204, 299]) assert.equal(judge(answer(status)).kind, 'delivered', String(status));
  for (const status of [100, 408, 429, 500, 502, 503, 504, 599]) {
    assert.equal(judge(answer(status)).kind, 'retry', String(status));
  }
  assert.equal(judge({ kind: 'failed', reason: 'timeout', latencyMs: 1 }).kind, 'retry');
});

test('verdict: answer 3xx or 4xx → delivery refused by a live endpoint', () => {
  for (const status of [300, 304, 400, 401, 403, 404, 405, 409, 413, 422, 425, 499]) {
    const verdict = judge(answer(status, '60'));
    assert.deepEqual(verdict, { kind: 'refused', afterMs: 5_000 }, String(status));
    assert.ok(showsLife(verdict));
  }
  for (const status of [200, 302, 410]) {
    assert.equal(judge({ kind: 'failed', reason: 'redirect', status, latencyMs: 1 }).kind, 'refused');
  }
  assert.deepEqual(judge(answer(404), 12), { kind: 'exhausted', isRefused: true });
  assert.ok(!showsLife(judge(answer(500), 12)));
});

test('verdict: answer 410 on any attempt → endpoint gone', () => {
  assert.equal(judge(answer(410)).kind, 'gone');
  assert.equal(judge(answer(410), 12).kind, 'gone');
});

test('verdict: twelfth failure → exhausted', () => {
  assert.equal(judge(answer(500), 11).kind, 'retry');
  assert.equal(judge(answer(500), 12).kind, 'exhausted');
});

test('verdict: attempt aborted by the gateway → void', () => {
  assert.equal(judge({ kind: 'failed', reason: 'aborted', latencyMs: 1 }, 12).kind, 'void');
});

test('Retry-After: 429 or 503 → endpoint pauses, the schedule is never shortened', () => {
  assert.deepEqual(judge(answer(429, '60')), { kind: 'retry', afterMs: 60_000, pauseMs: 60_000 });
  assert.deepEqual(judge(answer(503, '1')), { kind: 'retry', afterMs: 5_000, pauseMs: 1_000 });
  assert.deepEqual(judge(answer(500, '60')), { kind: 'retry', afterMs: 5_000, pauseMs: 0 });
  assert.deepEqual(judge(answer(429)), { kind: 'retry', afterMs: 5_000, pauseMs: 0 });
});

test('attempt record: control characters in the answer → replaced', () => {
  const outcome: WebhookOutcome = {
    kind: 'response',
    status: 500,
    bodyStart: 'a\u0000b\u001b[31m\nü\u202e\u2066!',
    latencyMs: 3.6,
  };
  assert.deepEqual(recordOf(outcome, NOW_MS), {
    atMs: NOW_MS,
    httpStatus: 500,
    failure: 'http_status',
    latencyMs: 4,
    answer: 'a\ufffdb\ufffd[31m\nü\ufffd\ufffd!',
  });
  for (const status of [200, 299]) assert.equal(recordOf(answer(status), NOW_MS).failure, null);
  for (const status of [100, 300]) assert.equal(recordOf(answer(status), NOW_MS).failure, 'http_status');
  assert.equal(recordOf({ kind: 'failed', reason: 'timeout', latencyMs: 1 }, NOW_MS).httpStatus, null);
  assert.deepEqual(recordOf({ kind: 'failed', reason: 'redirect', status: 301, latencyMs: 1 }, NOW_MS), {
    atMs: NOW_MS,
    httpStatus: 301,
    failure: 'redirect',
    latencyMs: 1,
    answer: null,
  });
});
