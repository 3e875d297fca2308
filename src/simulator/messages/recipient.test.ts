import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GraphError } from '../graph/graph-errors.ts';
import { dialledDigits } from './recipient.ts';

test('recipient: separators stripped, a plus decides about the country code', () => {
  assert.equal(dialledDigits('+1 (631) 555-1234', '91'), '16315551234');
  assert.equal(dialledDigits('1 (631) 555-1234', '91'), '9116315551234');
  assert.equal(dialledDigits('16315551234'), '16315551234');
});

test('recipient: missing → 100, malformed → 131009', () => {
  const codeOf = (to: unknown) => {
    try {
      return dialledDigits(to);
    } catch (error) {
      return error instanceof GraphError ? error.code : error;
    }
  };
  for (const to of [undefined, null, '']) assert.equal(codeOf(to), 100);
  for (const to of ['+123', '+1234567890123456', '+1abc5551234', '+', '+1;2345678'])
    assert.equal(codeOf(to), 131009, to);
});
