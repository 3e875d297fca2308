import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GatheredChunks } from './gathered-chunks.ts';

test('gathered chunks: any sizes, taken at any time → the pushed bytes in order', () => {
  const sizes = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20_000 }));
  const steps = fc.array(fc.oneof(sizes, fc.constantFrom('shift', 'takeAll')), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (plan) => {
      const chunks = new GatheredChunks();
      const pushed: Buffer[] = [];
      const taken: Buffer[] = [];
      for (const [index, step] of plan.entries()) {
        if (step === 'shift') taken.push(chunks.shift() ?? Buffer.alloc(0));
        else if (step === 'takeAll') taken.push(chunks.takeAll());
        else {
          const chunk = Buffer.alloc(Number(step), index);
          pushed.push(chunk);
          chunks.push(chunk);
        }
      }
      taken.push(chunks.takeAll());
      assert.ok(Buffer.concat(pushed).equals(Buffer.concat(taken)));
      assert.equal(chunks.shift(), undefined);
    }),
  );
});

test('gathered chunks: many small chunks → few buffers', () => {
  const chunks = new GatheredChunks();
  for (let i = 0; i < 100_000; i += 1) chunks.push(Buffer.from('a'));
  let taken = 0;
  for (let bytes = 0; bytes < 100_000; taken += 1) bytes += chunks.shift()?.length ?? 0;
  assert.ok(taken <= 8, `${taken} chunks`);
});

test('gathered chunks: thousands of tiny chunks → splintered; few or larger ones → not', () => {
  const pushed = (count: number, bytes: number) => {
    const chunks = new GatheredChunks();
    for (let i = 0; i < count; i += 1) chunks.push(Buffer.alloc(bytes));
    return chunks.isSplintered;
  };
  assert.deepEqual([pushed(4_096, 1), pushed(100_000, 76), pushed(1, 10)], [false, false, false]);
  assert.deepEqual([pushed(4_097, 1), pushed(100_000, 16)], [true, true]);
});
