import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import type { NumberBook } from './number-book.ts';
import { type Throttle, ThrottleNews, type ThrottleNewsDeps } from './throttle-news.ts';

const THROTTLE: Throttle = {
  ...{ scope: 'waba', account: { organizationId: 'o', wabaId: 'w' }, waitMs: 60_000, reason: 'upstream 80007' },
};

/** One node, its broadcasts, and the end of each wait that it imposes. */
function openNode({ alone = false } = {}) {
  const clock = createManualClock();
  const told: string[] = [];
  const untilMs: number[] = [];
  let hear: (key: string) => unknown = assert.fail;
  const news = new ThrottleNews({
    ...{ clock, alone, log: pino({ level: 'silent' }) },
    db: { query: async ({ values }: { values: [string, string[]] }) => told.push(...values[1]) },
    changes: { on() {}, follow: (_topic: unknown, onChange: typeof hear) => (hear = onChange) },
    book: {
      throttle(_scope: unknown, _account: unknown, ms: number) {
        const longerMs = ms - Math.max(clock.monotonicMs(), ...untilMs);
        untilMs.push(ms);
        return longerMs;
      },
    } as unknown as NumberBook,
  } as unknown as ThrottleNewsDeps);
  return {
    clock,
    news,
    told,
    hear: (key: string) => hear(key),
    waitsMs: () => (untilMs.at(-1) ?? 0) - clock.monotonicMs(),
  };
}

test('throttle: met by many messages → broadcast once, and again only if it lasts longer', () => {
  const { clock, news, told } = openNode();
  for (let count = 0; count < 100; count += 1) {
    news.tell(THROTTLE);
    clock.advance(10);
  }
  assert.equal(told.length, 1);
  clock.advance(10_000);
  news.tell(THROTTLE);
  assert.equal(told.length, 2);
});

test('throttle: shorter than the broadcast delay, or the node is alone → no broadcast', () => {
  const { news, told } = openNode();
  news.tell({ ...THROTTLE, waitMs: 1_500 });
  const lonely = openNode({ alone: true });
  lonely.news.tell(THROTTLE);
  assert.deepEqual([told, lonely.told, lonely.waitsMs()], [[], [], 60_000]);
});

test('throttle: heard late or with skewed clocks → ends on time, never lasts longer than stated', () => {
  const [first, second] = [openNode(), openNode()];
  first.news.tell(THROTTLE);
  const [key = ''] = first.told;
  second.clock.advance(20_000);
  second.hear(key);
  assert.equal(second.waitsMs(), 40_000);
  first.clock.advance(3_600_000);
  first.news.tell(THROTTLE);
  second.hear(first.told.at(-1) ?? '');
  assert.equal(second.waitsMs(), 60_000);
});
