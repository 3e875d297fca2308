import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentCompletions } from './recent-completions.ts';
import type { Completion } from './result-queries.ts';

const endOf = (messageId: string) => ({ messageId }) as Completion;

test('recorded ends: compared only after a broken connection, for a minute', () => {
  const recent = new RecentCompletions();
  recent.note(0, [endOf('a')]);
  assert.equal(recent.has(1, 'a'), false);
  recent.doubt(2);
  recent.note(3, [endOf('b')]);
  assert.deepEqual(
    ['a', 'b', 'c'].map((id) => recent.has(4, id)),
    [true, true, false],
  );
  assert.equal(recent.has(60_003, 'a'), false);
});

test('recorded ends: older than a minute, or beyond the newest 50,000 → forgotten', () => {
  const recent = new RecentCompletions();
  recent.note(0, [endOf('old')]);
  recent.note(61_000, [endOf('new')]);
  assert.deepEqual(recent.list(), [endOf('new')]);
  recent.note(
    61_001,
    Array.from({ length: 50_000 }, (_, place) => endOf(`m${place}`)),
  );
  assert.equal(recent.list().length, 50_000);
});
