import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSince, parseSnapshot } from './snapshot.ts';

test('news since a snapshot is what was open then or came later, not what had ended between those that were open', () => {
  const snapshot = parseSnapshot('10:20:10,13');
  const since = [9n, 10n, 11n, 13n, 19n, 20n, 21n].filter((xid) => isSince(snapshot, xid));
  assert.deepEqual(since, [10n, 13n, 20n, 21n]);
});

test('of a snapshot in which nothing was open only what came later is news', () => {
  const snapshot = parseSnapshot('20:20:');
  assert.deepEqual(snapshot, { next: 20n, open: [] });
  assert.deepEqual([isSince(snapshot, 19n), isSince(snapshot, 20n)], [false, true]);
});
