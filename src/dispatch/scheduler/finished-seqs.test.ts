import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FinishedSeqs } from './finished-seqs.ts';

test('what finishes during a statement is remembered until that statement ends', () => {
  const finished = new FinishedSeqs();
  finished.add(1);
  assert.equal(finished.has(1), false);
  const first = finished.begin();
  finished.add(2);
  const second = finished.begin();
  finished.add(3);
  finished.end(second);
  assert.deepEqual([finished.has(2), finished.has(3)], [true, true]);
  finished.end(first);
  assert.equal(finished.size, 0);
});

test('under overlapping statements without end, memory of finished seqs stays bounded', () => {
  const finished = new FinishedSeqs();
  let previous = finished.begin();
  for (let seq = 1; seq <= 10_000; seq += 1) {
    finished.add(seq);
    if (seq % 10 !== 0) continue;
    const next = finished.begin();
    finished.end(previous);
    previous = next;
    assert.ok(finished.size <= 40, `${finished.size} remembered`);
  }
});
