import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { type Throttle, ThrottleBroadcast } from './throttle-broadcast.ts';

const THROTTLE: Throttle = {
  ...{ scope: 'waba', account: { organizationId: 'o', wabaId: 'w' }, waitMs: 60_000, reason: 'upstream 80007' },
};

/** One node, its broadcasts, and the end of each wait that it imposes. */
function openNode({ alone = false } = {}) {
  const clock = createManualClock();
  const sent: string[] = [];
  const untilMs: number[] = [];
  let hear: (key: string) => unknown = assert.fail;
  const broadcast = new ThrottleBroadcast({
    ...{ clock, alone, log: pino({ level: 'silent' }) },
    db: {
      async query({ values = [] }) {
        sent.push(...(values[1] as string[]));
        return [];
      },
    },
    changes: {
      follow(_topics, onChange) {
        hear = onChange;
      },
    },
    book: {
      throttle(_throttled, ms) {
        const longerMs = ms - Math.max(clock.monotonicMs(), ...untilMs);
        untilMs.push(ms);
        return longerMs;
      },
    },
  });
  return {
    clock,
    broadcast,
    sent,
    hear: (key: string) => hear(key),
    waitsMs: () => (untilMs.at(-1) ?? 0) - clock.monotonicMs(),
  };
}

test('throttle: met by many messages → broadcast once, and again only if it lasts longer', () => {
  const { clock, broadcast, sent } = openNode();
  for (let count = 0; count < 100; count += 1) {
    broadcast.send(THROTTLE);
    clock.advance(10);
  }
  assert.equal(sent.length, 1);
  clock.advance(10_000);
  broadcast.send(THROTTLE);
  assert.equal(sent.length, 2);
});

test('throttle: shorter than the broadcast delay, or the node is alone → no broadcast', () => {
  const { broadcast, sent } = openNode();
  broadcast.send({ ...THROTTLE, waitMs: 1_500 });
  const lonely = openNode({ alone: true });
  lonely.broadcast.send(THROTTLE);
  assert.deepEqual([sent, lonely.sent, lonely.waitsMs()], [[], [], 60_000]);
});

test('throttle: heard late or with skewed clocks → ends on time, never lasts longer than stated', () => {
  const [first, second] = [openNode(), openNode()];
  first.broadcast.send(THROTTLE);
  const [key = ''] = first.sent;
  second.clock.advance(20_000);
  second.hear(key);
  assert.equal(second.waitsMs(), 40_000);
  first.clock.advance(3_600_000);
  first.broadcast.send(THROTTLE);
  second.hear(first.sent.at(-1) ?? '');
  assert.equal(second.waitsMs(), 60_000);
});
