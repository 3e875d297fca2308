import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSince, parseSnapshot } from './snapshot.ts';

test('snapshot: ids open then or given out later → since; ids that had ended → not since', () => {
  const snapshot = parseSnapshot('10:20:10,13');
  const since = [9n, 10n, 11n, 13n, 19n, 20n, 21n].filter((xid) => isSince(snapshot, xid));
  assert.deepEqual(since, [10n, 13n, 20n, 21n]);
});

test('snapshot: without open transactions → only later ids are since', () => {
  const snapshot = parseSnapshot('20:20:');
  assert.deepEqual(snapshot, { next: 20n, open: [] });
  assert.deepEqual([isSince(snapshot, 19n), isSince(snapshot, 20n)], [false, true]);
});
