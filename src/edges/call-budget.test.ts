import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CallBudget } from './call-budget.ts';

const MINUTE_MS = 60_000;
const THROTTLE = { kind: 'throttled', scope: 'waba', retryAfterMs: 120_000, code: '80008', message: null } as const;

describe('the hourly calls of a business account', () => {
  const small = { wabaId: '1', hasRegisteredNumber: false };
  const large = { wabaId: '2', hasRegisteredNumber: true };
  const take = (budget: CallBudget, waba: typeof small, count: number, nowMs: number) =>
    Array.from({ length: count }, () => budget.take(waba, nowMs)).filter((waitMs) => waitMs === 0).length;

  it('no registered number: 180 of 200; with one: 4,500 of 5,000', () => {
    const budget = new CallBudget();
    assert.equal(take(budget, small, 300, 0), 180);
    assert.equal(take(budget, large, 6_000, 0), 4_500);
  });

  it('any hour: never more than the budget, and all of it again once the calls are an hour old', () => {
    const budget = new CallBudget();
    assert.equal(take(budget, small, 100, 0), 100);
    assert.equal(take(budget, small, 100, 30 * MINUTE_MS), 80);
    assert.equal(budget.take(small, 59 * MINUTE_MS), MINUTE_MS);
    assert.equal(take(budget, small, 200, 60 * MINUTE_MS), 100);
    assert.equal(take(budget, small, 200, 90 * MINUTE_MS), 80);
    assert.equal(take(budget, small, 200, 500 * MINUTE_MS), 180);
  });

  it("the platform's throttle and its count of 90 %: closed for its time, for this account alone", () => {
    const budget = new CallBudget();
    budget.heed('1', { throttle: THROTTLE, usage: null }, 0);
    assert.equal(budget.take(small, 1), 119_999);
    assert.equal(budget.take(large, 1), 0);
    assert.equal(budget.take(small, 120_000), 0);
    budget.heed('2', { throttle: null, usage: { percent: 91, regainMs: 0 } }, 0);
    assert.equal(budget.take(large, 0), MINUTE_MS);
    budget.heed('2', { throttle: null, usage: { percent: 50, regainMs: 0 } }, 0);
    assert.equal(budget.take(large, MINUTE_MS), 0);
  });

  it("a throttle of a number: not the account's", () => {
    const budget = new CallBudget();
    budget.heed('1', { throttle: { ...THROTTLE, scope: 'number' }, usage: null }, 0);
    assert.equal(budget.take(small, 0), 0);
  });
});
