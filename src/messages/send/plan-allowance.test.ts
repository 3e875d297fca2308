import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Plan, UNLIMITED_PLAN } from '../../organizations/index.ts';
import { PlanAllowance } from './plan-allowance.ts';

/** What taking messages of these prices is answered. */
function take(plan: Partial<Plan>, used: { accepted: number; spentMicros: number }, ...prices: number[]) {
  const allowance = new PlanAllowance(used);
  return prices.map((price) => allowance.take({ ...UNLIMITED_PLAN, ...plan }, price) ?? 'taken');
}

test('a month has as many messages as its plan says, those accepted already included', () => {
  const used = { accepted: 8, spentMicros: 0 };
  assert.deepEqual(take({ monthlyMessageLimit: 10 }, used, 0, 0, 0), ['taken', 'taken', 'PLAN_MESSAGE_LIMIT_REACHED']);
});

test('a budget is spent to the last of it, and once it is, not even what costs nothing is let through', () => {
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

test('each message goes by the plan it came under, and counts for those after it under another', () => {
  const allowance = new PlanAllowance({ accepted: 8, spentMicros: 0 });
  const take = (monthlyMessageLimit: number | null) => allowance.take({ ...UNLIMITED_PLAN, monthlyMessageLimit }, 0);
  assert.deepEqual(
    [take(8), take(null), take(10), take(10), take(null), take(12)],
    ['PLAN_MESSAGE_LIMIT_REACHED', undefined, undefined, 'PLAN_MESSAGE_LIMIT_REACHED', undefined, undefined],
  );
});

test('a plan without limits takes everything, and one limit is enough to have some', () => {
  assert.deepEqual(take({}, { accepted: 1e9, spentMicros: 1e15 }, 1e9), ['taken']);
  assert.equal(PlanAllowance.limits(UNLIMITED_PLAN), false);
  assert.equal(PlanAllowance.limits({ ...UNLIMITED_PLAN, monthlyMessageLimit: 0 }), true);
  assert.equal(PlanAllowance.limits({ ...UNLIMITED_PLAN, monthlyBudgetMicros: 0 }), true);
});
