import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findShedReason, type Load } from './overload.ts';

const CALM: Load = { isLate: false, pendingAccepts: 40, bodiesShare: 0.1, poolWaiting: 0 };

test('overload: light load → accepts requests', () => {
  assert.equal(findShedReason(CALM), undefined);
});

const OVERLOADS: [string, Partial<Load>, string][] = [
  ['pending accepts above the limit', { pendingAccepts: 4_000 }, 'pending_accepts'],
  ['hardly any room for bodies', { bodiesShare: 0.9 }, 'bodies'],
  ['requests that wait longer than a retry would take', { isLate: true }, 'requests'],
  ['statements queueing for connections', { poolWaiting: 256 }, 'database_pool'],
];

for (const [what, load, reason] of OVERLOADS) {
  test(`overload: ${what} → sheds requests`, () => {
    assert.equal(findShedReason({ ...CALM, ...load }), reason);
  });
}
