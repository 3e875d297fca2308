import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePostmasterFile } from './postmaster-file.ts';

const lines = ['4711', '/data/postgres', '1700000000', '5432', '', '127.0.0.1', '  2171791         8'];
const run = '1700000000 5432  127.0.0.1   2171791         8';

test('postmaster file: status line "ready" → ready', () => {
  assert.deepEqual(parsePostmasterFile([...lines, 'ready   ', ''].join('\n')), { pid: 4711, run, ready: true });
  assert.deepEqual(parsePostmasterFile([...lines, 'starting', ''].join('\n')), { pid: 4711, run, ready: false });
  assert.equal(parsePostmasterFile('4711\n/data/postgres\n')?.ready, false);
});

test('postmaster file: negated pid of a single-user backend → recognised', () => {
  assert.equal(parsePostmasterFile('-4711\n/data/postgres\n')?.pid, 4711);
});

test('postmaster file: empty or garbled → null', () => {
  assert.equal(parsePostmasterFile(''), null);
  assert.equal(parsePostmasterFile('\n'), null);
  assert.equal(parsePostmasterFile('postgres\n'), null);
});
