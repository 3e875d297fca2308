import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findShedReason, type Load } from './overload.ts';

const CALM: Load = { isLate: false, pendingAccepts: 40, bodiesShare: 0.1, poolWaiting: 0 };

test('a process with little on its hands takes everything in', () => {
  assert.equal(findShedReason(CALM), undefined);
});

const OVERLOADS: [string, Partial<Load>, string][] = [
  ['more accepted than can be made durable soon', { pendingAccepts: 4_000 }, 'pending_accepts'],
  ['hardly any room for bodies', { bodiesShare: 0.9 }, 'bodies'],
  ['requests waiting for as long as a client that is turned away', { isLate: true }, 'requests'],
  ['statements queueing for connections', { poolWaiting: 256 }, 'database_pool'],
];

for (const [what, load, reason] of OVERLOADS) {
  test(`a process with ${what} turns requests away`, () => {
    assert.equal(findShedReason({ ...CALM, ...load }), reason);
  });
}
