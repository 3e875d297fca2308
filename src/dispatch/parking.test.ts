import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Parking, type ParkingDeps } from './parking.ts';

test('a pair that is throttled again waits longer each time, and no more than some thousands of pairs are remembered', () => {
  const scheduler = { penalizePair: () => {} };
  const parking = new Parking({ scheduler, clock: { monotonicMs: () => 0 } } as unknown as ParkingDeps);
  const throttle = (recipient: string) =>
    parking.park({ numberId: 1, recipient }, { scope: 'pair', waitMs: 1, reason: 'throttled' });
  for (let strikes = 0; strikes < 3; strikes += 1) throttle('first');
  assert.equal(parking.strikesOf({ numberId: 1, recipient: 'first' }), 3);
  const others = Array.from({ length: 100_000 }, (_, index) => String(index));
  for (const other of others) throttle(other);
  const remembered = others.filter((recipient) => parking.strikesOf({ numberId: 1, recipient }) > 0).length;
  assert.ok(remembered <= 20_000, `${remembered} pairs`);
  assert.equal(parking.strikesOf({ numberId: 1, recipient: '99999' }), 1);
});
