import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsedBytesOf } from './parsed-bytes.ts';

const ofText = (text: string) => parsedBytesOf(Buffer.from(text));

test('parsed bytes: message → little; body of many small values → a multiple of its text', () => {
  const message = JSON.stringify({ to: '+15550100001', type: 'text', text: { body: 'x'.repeat(4_000) } });
  assert.ok(ofText(message) < 500);
  const values = `[${Array.from({ length: 10_000 }, () => '{}').join(',')}]`;
  assert.ok(ofText(values) > 20 * values.length);
});

test('parsed bytes: containers, members and elements → a fixed cost each', () => {
  assert.deepEqual(['{"abc":1}', '[10,20,30]', '{"abc":[1000]}', '"text"'].map(ofText), [124, 80, 188, 0]);
});

test('parsed bytes: invalid text → at most the maximum of valid JSON', () => {
  const nonsense = '['.repeat(1024 * 1024);
  assert.equal(ofText(nonsense), 24 * nonsense.length);
});
