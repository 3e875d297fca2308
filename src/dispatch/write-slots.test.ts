import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WriteSlots } from './write-slots.ts';

const limits = fc.integer({ min: 1, max: 20 });
const steps = fc.array(
  fc.record({ gapMs: fc.integer({ min: 0, max: 200 }), lateMs: fc.integer({ min: 0, max: 50 }) }),
  {
    maxLength: 200,
  },
);

test('no second holds more writes than the limit, however late each is written', () => {
  fc.assert(
    fc.property(limits, steps, (limit, messages) => {
      const slots = new WriteSlots(limit);
      const writtenAtMs: number[] = [];
      let nowMs = 0;
      for (const { gapMs, lateMs } of messages) {
        nowMs += gapMs;
        const slot = slots.reserve(nowMs);
        nowMs = slot.atMs + lateMs;
        slots.write(slot, nowMs);
        assert.ok(nowMs - (writtenAtMs.at(-limit) ?? Number.NEGATIVE_INFINITY) > 1_000);
        writtenAtMs.push(nowMs);
      }
    }),
  );
});

test('who keeps to a pace a little below the limit is never held up', () => {
  for (const limit of [1, 20, 80, 1_000]) {
    const slots = new WriteSlots(limit);
    for (let count = 0; count < 3 * limit; count += 1) {
      const nowMs = (count * 1_000) / (limit * 0.985);
      assert.equal(slots.reserve(nowMs).atMs, nowMs);
    }
  }
});

test('another limit counts what was written before', () => {
  const slots = new WriteSlots(10);
  for (let count = 0; count < 25; count += 1) slots.reserve(count * 1_000);
  for (let count = 0; count < 4; count += 1) slots.reserve(30_000);
  slots.setLimit(5);
  assert.equal(slots.reserve(30_000).atMs, 30_000);
  assert.equal(slots.reserve(30_000).atMs, 31_010);
  slots.setLimit(7);
  assert.equal(slots.reserve(30_500).atMs, 30_500);
  assert.equal(slots.reserve(30_500).atMs, 30_500);
  assert.equal(slots.reserve(30_500).atMs, 31_010);
});
