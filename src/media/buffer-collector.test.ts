import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BufferCollector } from './buffer-collector.ts';

const MIB = 1024 * 1024;

test('garbage is collected once per 16 MiB that pass through', () => {
  let collections = 0;
  const collector = new BufferCollector(() => {
    collections += 1;
  });
  for (let passed = 0; passed < 100; passed += 1) collector.count(MIB);
  assert.equal(collections, 6);
});

test('buffers nobody holds any more are really freed, without a collector becoming visible', () => {
  const collector = new BufferCollector();
  const before = process.memoryUsage().arrayBuffers;
  for (let passed = 0; passed < 15; passed += 1) Buffer.allocUnsafeSlow(MIB);
  const held = process.memoryUsage().arrayBuffers - before;
  collector.count(16 * MIB);
  const left = process.memoryUsage().arrayBuffers - before;
  assert.ok(held >= 14 * MIB && left < 4 * MIB, `${held} bytes before, ${left} bytes after`);
  assert.equal(globalThis.gc, undefined);
});
