import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignInLimit } from './sign-in-limit.ts';

test('sign-in limit: 100 failures at once, then one in 6 s, for each address by itself', () => {
  const limit = new SignInLimit();
  for (let count = 0; count < 100; count += 1) assert.equal(limit.failed('192.0.2.1', 0), 0);
  assert.equal(limit.failed('192.0.2.1', 0), 6);
  assert.equal(limit.failed('192.0.2.2', 0), 0);
  assert.equal(limit.failed('192.0.2.1', 6_000), 0);
  assert.equal(limit.failed('192.0.2.1', 6_000), 6);
});

test('sign-in limit: many addresses → bounded memory, the youngest are kept', () => {
  const limit = new SignInLimit();
  for (let count = 0; count < 100; count += 1) limit.failed('192.0.2.1', 0);
  for (let index = 0; index < 9_999; index += 1) limit.failed(`2001:db8::${index}`, 0);
  assert.equal(limit.failed('192.0.2.1', 0), 6);
  limit.failed('192.0.2.2', 0);
  assert.equal(limit.failed('192.0.2.1', 0), 0);
});
