import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayRows } from './array-rows.ts';

test('array rows: columns with any white space → one parameter each, in order', () => {
  assert.equal(
    arrayRows(
      `id uuid,
       at  timestamptz`,
      4,
    ),
    'SELECT unnest($4::uuid[]) AS id, unnest($5::timestamptz[]) AS at',
  );
});

test('array rows: ordinal → counted by the subscripts of the first array', () => {
  const text = 'SELECT unnest($2::uuid[]) AS id, unnest($3::text[]) AS body, generate_subscripts($2::uuid[], 1) AS ord';
  assert.equal(arrayRows('id uuid, body text', 2, 'ord'), text);
});
