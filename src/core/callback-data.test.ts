import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptCallbackData } from './callback-data.ts';

test('callback data: text up to 4,096 characters → kept verbatim; longer or no text → undefined', () => {
  assert.equal(keptCallbackData('order "7" ✓'), 'order "7" ✓');
  assert.equal(keptCallbackData('x'.repeat(4_096))?.length, 4_096);
  assert.equal(keptCallbackData('x'.repeat(4_097)), undefined);
  for (const noText of [7, null, ['x'], { length: 1 }]) assert.equal(keptCallbackData(noText), undefined);
});
