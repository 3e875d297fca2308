import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyRoom } from './body-room.ts';

const MIB = 1024 * 1024;
const large = 'x'.repeat(MIB);

test('large bodies: one organization fills half of the budget → the rest is left to others', () => {
  const room = new BodyRoom(8 * MIB);
  const taken = [room.take('a', large), room.take('a', large)];
  assert.ok(taken.every((place) => place !== undefined));
  assert.equal(room.has('a'), false);
  assert.equal(room.take('a', large), undefined);
  assert.ok(room.has('b'));
  taken[0]?.[Symbol.dispose]();
  assert.ok(room.has('a'));
  assert.ok(room.take('a', large));
});

test('small bodies: the budget is empty → still fit', () => {
  const room = new BodyRoom(0);
  assert.equal(room.has('a'), false);
  assert.ok(room.take('a', 'x'.repeat(16 * 1024)));
});
