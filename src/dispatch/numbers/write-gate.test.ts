import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertSlidingCount } from '../../../test/support/scheduler-model/referees.ts';
import { Timeline } from '../../../test/support/scheduler-model/timeline.ts';
import type { Clock } from '../../core/time/clock.ts';
import { spanMsAt, WriteGate } from './write-gate.ts';

/** Largest difference between the spacing of messages at their arrival and at their write. */
const ARRIVAL_MS = 4.9;

function clockOf(time: Timeline): Clock {
  return {
    now: () => time.nowMs,
    monotonicMs: () => time.nowMs,
    schedule(delayMs, fire) {
      assert.ok(Number.isFinite(delayMs), 'a timer without an end fires at once');
      let isCancelled = false;
      time.in(delayMs, () => {
        if (!isCancelled) fire();
      });
      return () => {
        isCancelled = true;
      };
    },
  };
}

/** Runs all events up to `untilMs`, with the promises that they resolve. */
async function run(time: Timeline, untilMs = Number.POSITIVE_INFINITY): Promise<void> {
  await Promise.resolve();
  while (time.step(untilMs)) await Promise.resolve();
}

/** Sends messages at the given times through a gate. Returns the time at which each got through, in order. */
async function passesOf(perSecond: number, atMs: readonly number[]): Promise<number[]> {
  const time = new Timeline();
  const gate = new WriteGate(clockOf(time), perSecond);
  const passedAtMs: number[] = [];
  for (const sendAtMs of atMs) {
    time.at(sendAtMs, () => {
      void gate.enter().then(() => {
        passedAtMs.push(time.nowMs);
        gate.wrote();
      });
    });
  }
  await run(time);
  return passedAtMs;
}

/** Returns release times at a pace slightly below the limit. */
function evenly(limit: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => (index * (spanMsAt(limit) + 2)) / limit);
}

describe('write gate', () => {
  it('late or abandoned writes → no second holds more arrivals than the limit', async () => {
    const message = fc.record({
      atMs: fc.integer({ min: 0, max: 4_000 }),
      lateMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2_500 })),
      isWritten: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.array(message, { maxLength: 80 }),
        async (limit, messages) => {
          const time = new Timeline();
          const gate = new WriteGate(clockOf(time), limit);
          const writtenAtMs: number[] = [];
          const ended: number[] = [];
          for (const [index, { atMs, lateMs, isWritten }] of messages.entries()) {
            time.at(atMs, () => {
              void gate.enter().then(() => {
                time.in(lateMs, () => {
                  ended.push(index);
                  if (!isWritten) return gate.gaveUp();
                  writtenAtMs.push(time.nowMs);
                  gate.wrote();
                });
              });
            });
          }
          await run(time);
          assert.equal(ended.length, messages.length);
          const closest = writtenAtMs.map((ms) => (ms * 1_000) / (1_000 + ARRIVAL_MS));
          assertSlidingCount(closest, limit, 'gate');
        },
      ),
    );
  });

  it('pace slightly below the limit → no message is held up', async () => {
    for (const limit of [1, 20, 80, 1_000]) {
      const atMs = evenly(limit, 3 * limit);
      assert.deepEqual(await passesOf(limit, atMs), atMs);
    }
  });

  it('messages held back → follow in order at 1.5 times the pace', async () => {
    const passedAtMs = await passesOf(200, [0, ...Array.from({ length: 20 }, () => 50)]);
    assert.deepEqual(passedAtMs.slice(0, 3), [0, 50, 50]);
    assert.deepEqual(passedAtMs.slice(-3), [102, 105, 109]);
  });

  it('a stall → caught up within a second, without repeating the stall', async () => {
    const stood = evenly(1_000, 15_000).map((atMs) => (atMs > 1_000 && atMs < 1_020 ? 1_020 : atMs));
    const passedAtMs = await passesOf(1_000, stood);
    const lateMs = passedAtMs.map((atMs, index) => atMs - (stood[index] ?? atMs));
    assert.ok(Math.max(...lateMs.slice(1_100)) > 10);
    assert.ok(Math.max(...lateMs) < 20);
    assert.equal(Math.max(...lateMs.slice(-1_000)), 0);
  });

  for (const { limits, writtenAtMs, enteredAtMs, passedAtMs } of [
    // The second waits for the peak.
    { limits: [10, 4], writtenAtMs: [0, 100, 200, 300, 500], enteredAtMs: 700, passedAtMs: [1_106, 1_268] },
    { limits: [4, 3], writtenAtMs: [0, 200], enteredAtMs: 700, passedAtMs: [700, 1_006] },
    { limits: [2, 3], writtenAtMs: [0, 400, 1_006], enteredAtMs: 1_010, passedAtMs: [1_010, 1_406] },
    { limits: [10, 10], writtenAtMs: [599], enteredAtMs: 600, passedAtMs: [661, 728] },
  ]) {
    it(`limit ${limits.join(' → ')}: earlier writes still count`, async () => {
      const time = new Timeline();
      const gate = new WriteGate(clockOf(time), limits[0] ?? 0);
      const passes: number[] = [];
      const enter = () =>
        void gate.enter().then(() => {
          passes.push(time.nowMs);
          gate.wrote();
        });
      for (const atMs of writtenAtMs) time.at(atMs, enter);
      await run(time, enteredAtMs);
      assert.deepEqual(passes, writtenAtMs);
      gate.setLimit(limits[1] ?? 0);
      for (const atMs of [enteredAtMs, enteredAtMs]) time.at(atMs, enter);
      await run(time);
      assert.deepEqual(passes.slice(writtenAtMs.length), passedAtMs);
    });
  }

  it('limit raised → opens at once', async () => {
    const time = new Timeline();
    const gate = new WriteGate(clockOf(time), 1);
    const passedAtMs: number[] = [];
    for (const atMs of [0, 10]) {
      time.at(atMs, () => {
        void gate.enter().then(() => {
          passedAtMs.push(time.nowMs);
          gate.wrote();
        });
      });
    }
    time.at(20, () => gate.setLimit(1_000));
    await run(time);
    assert.deepEqual(passedAtMs, [0, 20]);
  });

  it('limit lowered and raised again → earlier writes still count', async () => {
    const time = new Timeline();
    const gate = new WriteGate(clockOf(time), 3);
    const passedAtMs: number[] = [];
    for (const atMs of [0, 300, 600, 700]) {
      time.at(atMs, () => {
        void gate.enter().then(() => {
          passedAtMs.push(time.nowMs);
          gate.wrote();
        });
      });
    }
    time.at(610, () => gate.setLimit(1));
    time.at(620, () => gate.setLimit(3));
    await run(time);
    assert.deepEqual(passedAtMs, [0, 300, 600, Math.ceil(spanMsAt(3))]);
  });
});
