import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BufferCollector } from './buffer-collector.ts';

const MIB = 1024 * 1024;

test('buffer collector: each 16 MiB of chunks → one collection', () => {
  let collections = 0;
  const collector = new BufferCollector(() => {
    collections += 1;
  });
  for (let passed = 0; passed < 100; passed += 1) collector.count(MIB);
  assert.equal(collections, 6);
});

test('buffer collector: unreferenced buffers → freed, and no global gc appears', () => {
  const collector = new BufferCollector();
  const before = process.memoryUsage().arrayBuffers;
  const pass = () => {
    const held = Array.from({ length: 15 }, () => Buffer.allocUnsafeSlow(MIB));
    return held.length * MIB;
  };
  // A collection of V8's own may fall into a round and make buffers old; a young collection then does not free them.
  const left: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const passed = pass();
    collector.count(passed + MIB);
    left.push(process.memoryUsage().arrayBuffers - before);
  }
  assert.ok(Math.min(...left) < 4 * MIB, `bytes left after each round: ${left.join(', ')}`);
  assert.equal(globalThis.gc, undefined);
});
