import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRepeatedAfter, retryAfterMsOf, retryWaitMs } from './retry-rules.ts';

const NOW = Date.parse('2026-11-02T10:00:00Z');

describe('Retry-After', () => {
  for (const [header, ms] of [
    [null, null],
    ['7', 7000],
    [' 0 ', 0],
    ['Mon, 02 Nov 2026 10:00:09 GMT', 9000],
    ['Mon, 02 Nov 2026 09:59:00 GMT', 0],
    ['soon', null],
    ['-1', null],
    ['1.5', null],
    ['', null],
  ] as const) {
    it(`${JSON.stringify(header)} → ${ms} ms`, () => assert.equal(retryAfterMsOf(header, NOW), ms));
  }
});

describe('the wait before a repetition', () => {
  it('is never shorter than Retry-After, and at most a fifth longer', () => {
    assert.equal(retryWaitMs(1000, 1, 60_000, 0), 1000);
    assert.equal(retryWaitMs(1000, 9, 60_000, 1), 1200);
  });

  it('is refused if Retry-After is beyond the limit', () => {
    assert.equal(retryWaitMs(60_001, 1, 60_000, 0), null);
  });

  it('doubles without Retry-After, up to eight seconds', () => {
    assert.deepEqual(
      [1, 2, 3, 9].map((attempt) => retryWaitMs(null, attempt, 60_000, 1)),
      [250, 500, 1000, 8000],
    );
    assert.equal(retryWaitMs(null, 1, 60_000, 0), 125);
    assert.equal(retryWaitMs(null, 9, 100, 1), 100);
  });
});

describe('a repetition', () => {
  it('after 429: always, unless the body is used up', () => {
    assert.deepEqual(
      (['always', 'if refused', 'never'] as const).map((repeatable) => isRepeatedAfter(429, repeatable)),
      [true, true, false],
    );
  });

  it('after 408 and 5xx: only if the work cannot be done twice', () => {
    for (const status of [408, 500, 502, 503, 504]) {
      assert.equal(isRepeatedAfter(status, 'always'), true, String(status));
      assert.equal(isRepeatedAfter(status, 'if refused'), false, String(status));
    }
  });

  it('after another refusal: never', () => {
    for (const status of [400, 401, 403, 404, 409, 413, 422, 501]) {
      assert.equal(isRepeatedAfter(status, 'always'), false, String(status));
    }
  });
});
