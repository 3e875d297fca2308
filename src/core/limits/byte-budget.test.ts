import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteBudget } from './byte-budget.ts';

test('byte budget: full → refuses; returned bytes → available again', () => {
  const budget = new ByteBudget(100);
  assert.equal(budget.take('a', 40), true);
  assert.equal(budget.take('b', 50), true);
  assert.equal(budget.take('c', 11), false);
  assert.equal(budget.bytes, 90);
  budget.giveBack('a', 40);
  assert.equal(budget.take('c', 11), true);
});

test('byte budget: one party → at most half of the budget', () => {
  const budget = new ByteBudget(100);
  assert.equal(budget.take('a', 50), true);
  assert.equal(budget.take('a', 1), false);
  assert.equal(budget.take('b', 50), true);
  budget.giveBack('a', 10);
  assert.equal(budget.take('a', 11), false);
  assert.equal(budget.take('a', 10), true);
});
