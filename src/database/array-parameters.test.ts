import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeArrays } from './array-parameters.ts';

test('only arrays whose element type the statement names are written in binary', () => {
  const text = 'SELECT $1::int[], $2, $3::jsonb[], $4::text[], $11::smallint[]';
  const values = [[1], [2], [{}], 'three', 5, 6, 7, 8, 9, 10, [11]];
  const encoded = encodeArrays(text, values);
  assert.deepEqual(
    encoded.map((value) => value instanceof Buffer),
    values.map((_, index) => index === 0 || index === 10),
  );
  assert.deepEqual(encoded.slice(1, 10), values.slice(1, 10));
});

test('a number its type cannot hold is refused, not cut', () => {
  for (const value of [2 ** 53, Number.NaN, 0.5, 'x']) {
    assert.throws(() => encodeArrays('SELECT $1::bigint[]', [[value]]), RangeError, String(value));
  }
  assert.throws(() => encodeArrays('SELECT $1::smallint[]', [[70_000]]), RangeError);
  assert.throws(() => encodeArrays('SELECT $1::uuid[]', [['not-a-uuid']]), RangeError);
});
