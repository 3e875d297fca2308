import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeFields } from './merge-fields.ts';

test('mergeFields: two objects → all fields, newer values win, spelling kept', () => {
  const stored = '{"a": 1.0, "big": 12345678901234567890, "__proto__": {"x": 1E2}}';
  assert.equal(
    mergeFields(stored, '{"a": 2.50,"b":"\\u00e9"}'),
    '{"big":12345678901234567890,"__proto__":{"x": 1E2},"a":2.50,"b":"\\u00e9"}',
  );
  assert.equal(mergeFields('{}', '{"a":1}'), '{"a":1}');
  assert.equal(mergeFields('{"a":1}', '{}'), '{"a":1}');
});
