import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { SendingNumber } from '../accounts/index.ts';
import { systemClock } from '../core/clock.ts';
import type { Database } from '../database/database.ts';
import type { OrganizationSettings } from '../organizations/index.ts';
import { NumberBook } from './number-book.ts';
import { createScheduler } from './scheduler/index.ts';

const NUMBER: SendingNumber = {
  organizationId: 'o',
  phoneNumberId: '800',
  accountId: 'a',
  numberId: 1,
  wabaId: '700',
  phoneNumber: '15550001111',
  verifiedName: null,
  status: 'CONNECTED',
  registered: true,
  qualityRating: null,
  messagingLimit: null,
  throughputLevel: 'STANDARD',
  isOnBizApp: false,
  messagesPerSecond: 80,
  paused: false,
  parked: null,
};

/** A book whose numbers are read when the test answers: each reading waits in `readings`. */
function startBook(t: TestContext) {
  const readings: ((number: SendingNumber) => void)[] = [];
  const scheduler = createScheduler();
  const book = new NumberBook({
    db: { query: async () => [] } as unknown as Database,
    clock: systemClock,
    scheduler,
    numbers: {
      findByNumberIds: () =>
        new Promise((resolve) => {
          readings.push((number) => resolve([number]));
        }),
    },
    settings: { get: async () => ({ weight: 1 }) } as unknown as OrganizationSettings,
  });
  const open = () => book.open([1], [], [], 10, { mayOpen: () => true, sentUntilMs: () => 0 });
  const isPaused = () => scheduler.explain(systemClock.monotonicMs(), 1)?.paused;
  t.after(() => book.close(1));
  return { book, open, readings, isPaused };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a change that is told while its number is opened from what was before is in force once it is awaited', async (t) => {
  const { book, open, readings, isPaused } = startBook(t);
  const opening = open();
  const changed = book.refresh((number) => number.phoneNumberId === '800');
  readings[0]?.({ ...NUMBER, paused: true });
  await opening;
  await turn();
  readings[1]?.(NUMBER);
  await changed;
  assert.equal(isPaused(), false);
});

test('of two readings of a number the one that began later counts, whichever is answered first', async (t) => {
  const { book, open, readings, isPaused } = startBook(t);
  const opening = open();
  readings[0]?.(NUMBER);
  await opening;
  const changes = [book.refresh(), book.refresh()];
  await turn();
  readings[2]?.(NUMBER);
  await changes[1];
  readings[1]?.({ ...NUMBER, paused: true });
  await changes[0];
  assert.equal(isPaused(), false);
});
