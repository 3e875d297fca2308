import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  API_KEY_PREFIX,
  hintOf,
  isApiKey,
  isToken,
  makeToken,
  OPERATOR_TOKEN_PREFIX,
  TEST_KEY_PREFIX,
} from './token-format.ts';

test('token: made token → documented shape, valid checksum, valid for its prefix only', () => {
  for (let round = 0; round < 200; round += 1) {
    const key = makeToken(API_KEY_PREFIX);
    assert.match(key, /^fw_live_[0-9A-Za-z]{38}$/);
    assert.ok(isToken(API_KEY_PREFIX, key));
    const token = makeToken(OPERATOR_TOKEN_PREFIX);
    assert.match(token, /^fw_op_[0-9A-Za-z]{38}$/);
    assert.ok(isToken(OPERATOR_TOKEN_PREFIX, token));
    assert.ok(!isToken(API_KEY_PREFIX, token) && !isToken(OPERATOR_TOKEN_PREFIX, key));
    assert.ok(!isToken(OPERATOR_TOKEN_PREFIX, OPERATOR_TOKEN_PREFIX + key.slice(API_KEY_PREFIX.length)));
  }
});

test('token: checksum → covers the prefix, stable across versions', () => {
  assert.equal(
    makeToken(API_KEY_PREFIX, () => 0),
    'fw_live_000000000000000000000000000000003fL8Vy',
  );
});

test('token: one changed character → refused without a look-up', () => {
  const key = makeToken(API_KEY_PREFIX);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: key.length - 1 }), fc.constantFrom(...'09AZaz_- é'), (index, character) => {
      fc.pre(key[index] !== character);
      assert.ok(!isToken(API_KEY_PREFIX, key.slice(0, index) + character + key.slice(index + 1)));
    }),
  );
  assert.ok(!isToken(API_KEY_PREFIX, `${key}0`));
  assert.ok(!isToken(API_KEY_PREFIX, ''));
});

test('token: hint → shows only four of the random characters', () => {
  const key = makeToken(API_KEY_PREFIX);
  assert.equal(hintOf(API_KEY_PREFIX, key), key.slice(0, 12));
});

test('token: live and test keys → both are API keys, neither passes as the other', () => {
  const [live, tested] = [makeToken(API_KEY_PREFIX), makeToken(TEST_KEY_PREFIX)];
  assert.ok(isApiKey(live) && isApiKey(tested) && !isApiKey(makeToken(OPERATOR_TOKEN_PREFIX)));
  assert.ok(!isApiKey(tested.replace(TEST_KEY_PREFIX, API_KEY_PREFIX)));
  assert.ok(!isApiKey(live.replace(API_KEY_PREFIX, TEST_KEY_PREFIX)));
});
