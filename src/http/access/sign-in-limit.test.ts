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

test('sign-in limit: failures of many other addresses → none is forgotten while it counts', () => {
  const limit = new SignInLimit();
  for (let count = 0; count < 100; count += 1) limit.failed('192.0.2.1', 0);
  for (let index = 0; index < 20_000; index += 1) limit.failed(`2001:db8::${index}`, 0);
  assert.equal(limit.failed('192.0.2.1', 0), 6);
});
