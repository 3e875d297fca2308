import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyCache } from './body-cache.ts';

test('body: taken once → no longer cached', () => {
  const cache = new BodyCache(100);
  cache.put(0, '1', 'one');
  assert.ok(cache.has('1'));
  assert.equal(cache.take('1'), 'one');
  assert.equal(cache.has('1'), false);
  assert.equal(cache.take('1'), undefined);
});

test('body cache: full → keeps the oldest bodies and drops newer ones', () => {
  const cache = new BodyCache(10);
  for (const messageId of ['1', '2', '3']) cache.put(0, messageId, 'xxxxx');
  assert.deepEqual(
    ['1', '2', '3'].map((messageId) => cache.has(messageId)),
    [true, true, false],
  );
  cache.take('1');
  cache.put(1, '4', 'xxxxx');
  assert.ok(cache.has('4'));
});

test('body: never taken → evicted after 30 to 60 seconds', () => {
  const cache = new BodyCache(10);
  cache.put(0, '1', 'xxxxx');
  cache.put(29_999, '2', 'xxxxx');
  cache.put(30_000, '3', 'xxxxx');
  assert.deepEqual(
    ['1', '2', '3'].map((messageId) => cache.has(messageId)),
    [true, true, false],
  );
  cache.put(60_000, '4', 'xxxxx');
  assert.deepEqual(
    ['1', '2', '4'].map((messageId) => cache.has(messageId)),
    [false, false, true],
  );
});
