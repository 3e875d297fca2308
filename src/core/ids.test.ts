import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idAfter, newId } from './ids.ts';

const AT_MS = Date.UTC(2026, 10, 22);

test('ids: made by one process within a millisecond → ascending', () => {
  const ids = Array.from({ length: 1_000 }, () => newId(AT_MS));
  assert.deepEqual(ids.toSorted(), ids);
});

test('ids: each millisecond → a random start, so that ids do not reveal how many exist', () => {
  const beginnings = Array.from({ length: 8 }, (_, index) => newId(AT_MS + 1 + index).slice(14, 18));
  assert.ok(new Set(beginnings).size > 1, beginnings.join());
});

test('idAfter: any id → the next in order, with carries', () => {
  assert.equal(idAfter('0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30'), '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e31');
  assert.equal(idAfter('0199c0de-7a3b-7c1d-9e5f-ffffffffffff'), '0199c0de-7a3b-7c1d-9e60-000000000000');
});
