import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Plan, UNLIMITED_PLAN } from '../../organizations/index.ts';
import { PlanAllowance } from './plan-allowance.ts';

/** Returns the answers to taking messages of these prices. */
function take(plan: Partial<Plan>, used: { accepted: number; spentMicros: number }, ...prices: number[]) {
  const allowance = new PlanAllowance(used);
  return prices.map((price) => allowance.take({ ...UNLIMITED_PLAN, ...plan }, price) ?? 'taken');
}

test('monthly limit: earlier messages count → refused once it is reached', () => {
  const used = { accepted: 8, spentMicros: 0 };
  assert.deepEqual(take({ monthlyMessageLimit: 10 }, used, 0, 0, 0), ['taken', 'taken', 'PLAN_MESSAGE_LIMIT_REACHED']);
});

test('budget: spent completely → even a free message is refused', () => {
  const used = { accepted: 0, spentMicros: 40 };
  const exceeded = 'PLAN_BUDGET_EXCEEDED';
  assert.deepEqual(take({ monthlyBudgetMicros: 100 }, used, 61, 50, 11, 10, 0), [
    exceeded,
    'taken',
    exceeded,
    'taken',
    exceeded,
  ]);
});

test('several plans: each message follows its own plan and counts for later ones', () => {
  const allowance = new PlanAllowance({ accepted: 8, spentMicros: 0 });
  const take = (monthlyMessageLimit: number | null) => allowance.take({ ...UNLIMITED_PLAN, monthlyMessageLimit }, 0);
  assert.deepEqual(
    [take(8), take(null), take(10), take(10), take(null), take(12)],
    ['PLAN_MESSAGE_LIMIT_REACHED', undefined, undefined, 'PLAN_MESSAGE_LIMIT_REACHED', undefined, undefined],
  );
});

test('no limits: everything fits; one limit: the plan counts as limited', () => {
  assert.deepEqual(take({}, { accepted: 1e9, spentMicros: 1e15 }, 1e9), ['taken']);
  assert.equal(PlanAllowance.limits(UNLIMITED_PLAN), false);
  assert.equal(PlanAllowance.limits({ ...UNLIMITED_PLAN, monthlyMessageLimit: 0 }), true);
  assert.equal(PlanAllowance.limits({ ...UNLIMITED_PLAN, monthlyBudgetMicros: 0 }), true);
});
