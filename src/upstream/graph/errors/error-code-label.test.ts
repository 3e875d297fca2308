import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CODE_LABELS, errorCodeLabelOf } from './error-code-label.ts';

test('labels of error codes: known → itself or its range, any other text → other', () => {
  const labels = ['131049', '138001', '250', '2388001', '429', 'constructor', '', null].map(errorCodeLabelOf);
  assert.deepEqual(labels, ['131049', '138001', '200-299', '2388000-2388999', 'other', 'other', 'other', 'other']);
});

test('labels of error codes: each is listed once, fewer than 200', () => {
  assert.equal(new Set(ERROR_CODE_LABELS).size, ERROR_CODE_LABELS.length);
  assert.ok(ERROR_CODE_LABELS.length < 200, `${ERROR_CODE_LABELS.length} labels`);
});
