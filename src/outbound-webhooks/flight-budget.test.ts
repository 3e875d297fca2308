import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Flight, FlightBudget } from './flight-budget.ts';

/** Starts what the budget allows for `owner` at `nowMs`, `wanted` at most. */
function start(budget: FlightBudget<string>, owner: string, nowMs: number, wanted: number): Flight<string>[] {
  const flights: Flight<string>[] = [];
  while (flights.length < wanted && !budget.isFull) flights.push(budget.start(owner, nowMs));
  return flights;
}

test('attempts that hang leave the budget to others after a moment', () => {
  const budget = new FlightBudget<string>();
  assert.equal(start(budget, 'hanging', 0, 1_000).length, 256);
  assert.ok(budget.isFull);
  budget.age(100);
  assert.ok(budget.isFull, 'not yet known to hang');
  budget.age(300);
  assert.ok(!budget.isFull);
  assert.equal(start(budget, 'healthy', 300, 1).length, 1);
  assert.equal(budget.count, 257);
});

test('owners with slow attempts share what slow ones may take, others are not bounded by it', () => {
  const budget = new FlightBudget<string>();
  for (let owner = 0; owner < 64; owner += 1) start(budget, `slow ${owner}`, 0, 4);
  budget.age(1_000);
  assert.equal(budget.maxOf('slow 1'), 32);
  assert.equal(budget.maxOf('healthy'), Number.POSITIVE_INFINITY);
});

test('what has ended counts nowhere, in whichever phase it was', () => {
  const budget = new FlightBudget<string>();
  const flights = start(budget, 'a', 0, 10);
  for (const flight of flights.slice(0, 5)) budget.end(flight);
  budget.age(1_000);
  assert.equal(budget.count, 5);
  assert.notEqual(budget.maxOf('a'), Number.POSITIVE_INFINITY);
  for (const flight of flights.slice(5)) budget.end(flight);
  assert.equal(budget.count, 0);
  assert.equal(budget.maxOf('a'), Number.POSITIVE_INFINITY);
  assert.equal(start(budget, 'a', 1_000, 1_000).length, 256);
});

test('an attempt counts by the memory it takes', () => {
  const budget = new FlightBudget<string>();
  for (let count = 0; !budget.isFull; count += 1) {
    assert.ok(count < 16);
    budget.start('large', 0, 256 * 1024);
  }
  budget.age(1_000);
  assert.ok(!budget.isFull);
  assert.equal(budget.maxOf('large'), 2_048 / 16);
});

test('while slow attempts take all the room there is for them, every owner has one at a time', () => {
  const budget = new FlightBudget<string>();
  const flights = Array.from({ length: 128 }, (_, owner) => budget.start(`slow ${owner}`, 0, 256 * 1024));
  budget.age(1_000);
  assert.equal(budget.maxOf('healthy'), 1);
  for (const flight of flights.slice(0, 1)) budget.end(flight);
  assert.equal(budget.maxOf('healthy'), Number.POSITIVE_INFINITY);
});
