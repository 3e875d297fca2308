import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Flight, FlightBudget } from './flight-budget.ts';

type Owner = { name: string };
const [slow, healthy] = [{ name: 'slow' }, { name: 'healthy' }];
const ownersOf = (count: number): Owner[] => Array.from({ length: count }, (_, index) => ({ name: `slow ${index}` }));

/** Starts attempts of `owner` at `nowMs`, as many as the budget allows and at most `wanted`. */
function start(budget: FlightBudget<Owner>, owner: Owner, nowMs: number, wanted: number): Flight<Owner>[] {
  const flights: Flight<Owner>[] = [];
  while (flights.length < wanted && !budget.isFull) flights.push(budget.start(owner, nowMs));
  return flights;
}

test('flight budget: attempts hang → other owners get the budget after a moment', () => {
  const budget = new FlightBudget<Owner>();
  assert.equal(start(budget, slow, 0, 1_000).length, 256);
  assert.ok(budget.isFull);
  budget.age(100);
  assert.ok(budget.isFull, 'not yet known to hang');
  budget.age(300);
  assert.ok(!budget.isFull);
  assert.equal(start(budget, healthy, 300, 1).length, 1);
  assert.equal(budget.count, 257);
});

test('attempt: lasts 250 ms → slow, as are the next ones of its owner until it ends', () => {
  const budget = new FlightBudget<Owner>();
  budget.start(slow, 5_000);
  budget.age(5_249);
  assert.equal(budget.maxOf(slow), Number.POSITIVE_INFINITY);
  budget.age(5_250);
  assert.equal(budget.maxOf(slow), 2_048);
  start(budget, slow, 5_250, 300);
  assert.ok(!budget.isFull);
  for (const [tookMs, isFull] of [
    [249, true],
    [250, false],
  ] as const) {
    const another = new FlightBudget<Owner>();
    another.end(another.start(healthy, 5_000), 5_000 + tookMs);
    start(another, healthy, 6_000, 300);
    assert.equal(another.isFull, isFull, `${tookMs} ms`);
  }
});

test('slow budget: several owners are slow → they share it, others are not bounded', () => {
  const budget = new FlightBudget<Owner>();
  const owners = ownersOf(64);
  for (const owner of owners) start(budget, owner, 0, 4);
  budget.age(1_000);
  for (const owner of owners) assert.equal(budget.maxOf(owner), 32);
  assert.equal(budget.maxOf(healthy), Number.POSITIVE_INFINITY);
});

test('attempt: ended while young or slow → no longer counted', () => {
  const budget = new FlightBudget<Owner>();
  const flights = start(budget, slow, 0, 10);
  for (const flight of flights.slice(0, 5)) budget.end(flight, 10);
  budget.age(1_000);
  assert.equal(budget.count, 5);
  assert.notEqual(budget.maxOf(slow), Number.POSITIVE_INFINITY);
  for (const flight of flights.slice(5)) budget.end(flight, 1_000);
  assert.equal(budget.count, 0);
  assert.equal(budget.maxOf(slow), Number.POSITIVE_INFINITY);
  assert.equal(start(budget, healthy, 1_000, 1_000).length, 256);
});

test('attempt: large body → counts by the memory it takes', () => {
  const budget = new FlightBudget<Owner>();
  for (let count = 0; !budget.isFull; count += 1) {
    assert.ok(count < 16);
    budget.start(slow, 0, 256 * 1024);
  }
  budget.age(1_000);
  assert.ok(!budget.isFull);
  assert.equal(budget.maxOf(slow), 2_048 / 16);
  budget.start(healthy, 1_000, 16 * 1024 + 1);
  budget.start({ name: 'third' }, 1_000);
  budget.age(2_000);
  assert.equal(budget.maxOf(healthy), 341, 'a third of the room, by twos');
});

test('owner: last attempt was slow → the next ones count as slow until one is quick', () => {
  const budget = new FlightBudget<Owner>();
  for (const flight of start(budget, slow, 0, 1)) {
    budget.age(300);
    budget.end(flight, 300);
  }
  const flights = Array.from({ length: 300 }, () => budget.start(slow, 400));
  assert.ok(!budget.isFull);
  assert.equal(budget.maxOf(slow), 2_048);
  for (const flight of flights) budget.end(flight, 401);
  assert.equal(budget.count, 0);
  assert.equal(budget.maxOf(slow), Number.POSITIVE_INFINITY);
  assert.equal(start(budget, slow, 402, 1_000).length, 256);
});

test('slow budget full: owner was not quick the last time → one attempt at a time', () => {
  const budget = new FlightBudget<Owner>();
  for (const flight of start(budget, healthy, 0, 1)) budget.end(flight, 10);
  const flights = ownersOf(128).map((owner) => budget.start(owner, 0, 256 * 1024));
  budget.age(1_000);
  assert.equal(budget.maxOf({ name: 'unknown' }), 1);
  assert.equal(budget.maxOf(healthy), Number.POSITIVE_INFINITY);
  for (const flight of flights.slice(0, 1)) budget.end(flight, 1_000);
  assert.equal(budget.maxOf({ name: 'unknown' }), Number.POSITIVE_INFINITY);
});
