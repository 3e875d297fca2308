import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QueueRow } from '../scheduler-types.ts';
import { FlowWindow } from './flow-window.ts';

function row(seq: number): QueueRow {
  return {
    seq,
    numberId: 1,
    flowId: 7,
    contact: '49',
    messageId: `m${seq}`,
    acceptedAtMs: 0,
    attempt: 0,
    dueAtMs: null,
  };
}

function rows(...seqs: number[]): QueueRow[] {
  return seqs.map(row);
}

function readingFrom(cursor: number): FlowWindow<never> {
  const window = new FlowWindow<never>(7, 1);
  window.fallBehind(cursor);
  window.read = 'running';
  return window;
}

test('flow window: following → offers are kept and move the cursor', () => {
  const window = new FlowWindow<never>(7, 1);
  assert.equal(window.judge(row(5), true, 8), 'keep');
  assert.deepEqual([window.cursor, window.more], [5, false]);
});

test('row committed late: below the cursor → kept even without room', () => {
  const window = new FlowWindow<never>(7, 1);
  window.judge(row(5), true, 8);
  assert.equal(window.judge(row(3), false, 8), 'keep');
  window.fallBehind(5);
  assert.equal(window.judge(row(2), false, 8), 'keep');
  window.read = 'running';
  assert.equal(window.judge(row(4), false, 8), 'keep');
});

test('row without room → left to the table, cursor stops below it', () => {
  const window = new FlowWindow<never>(7, 1);
  assert.equal(window.judge(row(9), false, 8), 'leave');
  assert.deepEqual([window.cursor, window.more], [8, true]);
  assert.equal(window.judge(row(12), true, 8), 'leave');
});

test('offer during a read → waits for the answer', () => {
  const window = readingFrom(10);
  assert.equal(window.judge(row(15), true, 8), 'wait');
  const waited = window.finishRead(rows(11, 20), 256);
  assert.deepEqual(
    waited.map(({ seq }) => seq),
    [15],
  );
  assert.deepEqual([window.cursor, window.more, window.read], [20, false, 'none']);
  assert.equal(window.judge(row(15), false, 8), 'keep');
});

test('full answer → the flow stays behind at the last row', () => {
  const window = readingFrom(10);
  window.finishRead(rows(11, 12), 2);
  assert.deepEqual([window.cursor, window.more], [12, true]);
});

test('offer refused during a read → the cursor stops below it', () => {
  const window = readingFrom(10);
  assert.equal(window.judge(row(30), true, 1), 'wait');
  assert.equal(window.judge(row(14), true, 1), 'leave');
  assert.equal(window.judge(row(18), true, 1), 'leave');
  window.finishRead(rows(12, 40), 256);
  assert.deepEqual([window.cursor, window.more], [13, true]);
});

test('offer refused during a read: empty answer → the flow stays behind', () => {
  const window = readingFrom(10);
  window.judge(row(11), true, 1);
  window.judge(row(12), true, 1);
  window.finishRead([], 256);
  assert.equal(window.more, true);
  assert.ok(window.cursor < 12);
});

test('failed read → the flow is behind as before', () => {
  const window = readingFrom(10);
  window.judge(row(15), true, 8);
  window.failRead();
  assert.deepEqual([window.cursor, window.more, window.read], [10, true, 'none']);
  window.read = 'running';
  assert.deepEqual(window.finishRead([], 256), []);
});
