import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayRows } from './array-rows.ts';

test('every column is one parameter, in their order, whatever white space stands between them', () => {
  assert.equal(
    arrayRows(
      `id uuid,
       at  timestamptz`,
      4,
    ),
    'SELECT unnest($4::uuid[]) AS id, unnest($5::timestamptz[]) AS at',
  );
});
