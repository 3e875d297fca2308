import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { hintOf, isApiKey, makeApiKey } from './api-key-format.ts';

test('api key: made key → documented shape, valid checksum', () => {
  for (let round = 0; round < 200; round += 1) {
    const key = makeApiKey(randomInt);
    assert.match(key, /^fw_live_[0-9A-Za-z]{38}$/);
    assert.ok(isApiKey(key));
  }
});

test('api key: checksum → covers the prefix, stable across versions', () => {
  assert.equal(
    makeApiKey(() => 0),
    'fw_live_000000000000000000000000000000003fL8Vy',
  );
});

test('api key: one changed character → refused without a look-up', () => {
  const key = makeApiKey(randomInt);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: key.length - 1 }), fc.constantFrom(...'09AZaz_- é'), (index, character) => {
      fc.pre(key[index] !== character);
      assert.ok(!isApiKey(key.slice(0, index) + character + key.slice(index + 1)));
    }),
  );
  assert.ok(!isApiKey(`${key}0`));
  assert.ok(!isApiKey(''));
});

test('api key: hint → shows only four of the random characters', () => {
  const key = makeApiKey(randomInt);
  assert.equal(hintOf(key), key.slice(0, 12));
});
