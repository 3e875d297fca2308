import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FinishedSeqs } from './finished-seqs.ts';

test('seq finished during a statement → remembered until the statement ends', () => {
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

test('overlapping statements without end → remembered seqs stay bounded', () => {
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
