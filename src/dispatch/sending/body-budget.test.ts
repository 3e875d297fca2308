import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyBudget } from './body-budget.ts';

const MIB = 1024 * 1024;
const large = 'x'.repeat(MIB);

test('large bodies: one organization fills half of the budget → the rest is left to others', () => {
  const budget = new BodyBudget(8 * MIB);
  const taken = [budget.take('a', large), budget.take('a', large)];
  assert.ok(taken.every((place) => place !== undefined));
  assert.equal(budget.has('a'), false);
  assert.equal(budget.take('a', large), undefined);
  assert.ok(budget.has('b'));
  taken[0]?.[Symbol.dispose]();
  assert.ok(budget.has('a'));
  assert.ok(budget.take('a', large));
});

test('small bodies: the budget is empty → still fit', () => {
  const budget = new BodyBudget(0);
  assert.equal(budget.has('a'), false);
  assert.ok(budget.take('a', 'x'.repeat(16 * 1024)));
});
