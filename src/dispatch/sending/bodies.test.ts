import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bodies } from './bodies.ts';

const MIB = 1024 * 1024;
/** Takes 2 MiB in memory: half of the budget has room for 16. */
const LARGE = 'x'.repeat(MIB);

function takeFrom(bodies: Bodies, organizationId: string, body: string) {
  return bodies.take({ messageId: 'm', organizationId }, body);
}

test('large bodies: one organization fills half of the budget → the rest is left to others', () => {
  const bodies = new Bodies();
  const taken = Array.from({ length: 16 }, () => takeFrom(bodies, 'a', LARGE));
  assert.ok(taken.every((body) => body !== undefined));
  assert.equal(bodies.takesLarge('a'), false);
  assert.equal(takeFrom(bodies, 'a', LARGE), undefined);
  assert.ok(bodies.takesLarge('b'));
  taken[0]?.[Symbol.dispose]();
  assert.ok(bodies.takesLarge('a'));
  assert.ok(takeFrom(bodies, 'a', LARGE));
});

test('small bodies: the budget is used up → still fit', () => {
  const bodies = new Bodies();
  for (let count = 0; count < 32; count += 1) assert.ok(takeFrom(bodies, count % 2 === 0 ? 'a' : 'b', LARGE));
  assert.equal(takeFrom(bodies, 'c', LARGE), undefined);
  assert.ok(takeFrom(bodies, 'c', 'x'.repeat(16 * 1024)));
});

test('body: cached, and not stored → taken once', () => {
  const bodies = new Bodies();
  bodies.put(0, 'm', 'cached');
  assert.equal(bodies.take({ messageId: 'm', organizationId: 'a' }, null)?.body, 'cached');
  assert.equal(bodies.take({ messageId: 'm', organizationId: 'a' }, null), undefined);
});
