import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutDoubles } from './template-doubles.ts';

test('withoutDoubles: two of one name and language, any order → the remaining one', () => {
  const leaving = { id: '1', name: 'hello', language: 'en', status: 'PENDING_DELETION' };
  const staying = { id: '2', name: 'hello', language: 'en', status: 'APPROVED' };
  const other = { id: '3', name: 'hello', language: 'de', status: 'DELETED' };
  assert.deepEqual(withoutDoubles([leaving, staying, other]), [staying, other]);
  assert.deepEqual(withoutDoubles([other, staying, leaving]), [other, staying]);
});
