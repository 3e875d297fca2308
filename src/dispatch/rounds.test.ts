import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createManualClock } from '../../test/harness/manual-clock.ts';
import { Rounds, type RoundsDeps } from './rounds.ts';
import type { Dispatch } from './scheduler/index.ts';

/** One message that may go at `dueAtMs`. The clock advances by `readMs` each time it is read. */
function openRounds({ dueAtMs, readMs }: { dueAtMs: number; readMs: number }) {
  const clock = createManualClock();
  const waiting = [{ seq: 1 } as Dispatch];
  const sent: Dispatch[] = [];
  const delays: number[] = [];
  const rounds = new Rounds({
    clock: {
      ...clock,
      monotonicMs() {
        clock.advance(readMs);
        return clock.monotonicMs();
      },
      schedule(delayMs, fire) {
        delays.push(delayMs);
        return clock.schedule(delayMs, fire);
      },
    },
    scheduler: {
      take: (nowMs: number) => (nowMs >= dueAtMs ? waiting.splice(0) : []),
      nextWakeMs: (nowMs: number) => (waiting.length === 0 ? null : Math.max(dueAtMs, nowMs)),
    },
    inFlight: { size: 0 },
    journal: {
      async dispatch(batch: Dispatch[]) {
        sent.push(...batch);
      },
      drop() {},
    },
    reader: { run() {} },
    unknown: { expire() {} },
    leases: { isCurrent: () => true },
    wakeup: { wake() {} },
    inFlightMax: 80,
  } satisfies RoundsDeps);
  return { rounds, clock, sent, delays };
}

test('message: becomes due during a look that ran too early → sent at its due time', async () => {
  const { rounds, clock, sent, delays } = openRounds({ dueAtMs: 1.5, readMs: 1 });
  rounds.start();
  assert.equal(delays.length, 1);
  assert.ok((delays[0] ?? 0) < 1, `looks again in ${delays[0]} ms`);
  clock.advance(1);
  await turn();
  assert.equal(sent.length, 1);
});
