import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import type { Queryable } from '../../database/database.ts';
import { createMetrics } from '../../telemetry/index.ts';
import { showQueue } from './queue-metrics.ts';

/** Queue metrics on a database whose counts take a given time and return a given result. */
function setUp() {
  const clock = createManualClock();
  const metrics = createMetrics();
  const next = { takesMs: 5, queued: 1 as number | Error };
  const db = {
    async query() {
      clock.advance(next.takesMs);
      if (next.queued instanceof Error) throw next.queued;
      return [{ queued: next.queued, held: 0, oldestWaitSeconds: 0 }];
    },
  } as unknown as Queryable;
  showQueue({ db, clock, log: pino({ level: 'silent' }), metrics });
  const read = async () => Number(/^fairway_queue_messages (\S+)$/m.exec((await metrics.render()).text)?.[1]);
  return { clock, next, read };
}

test('queue: metrics are read → counted at most every 10 s, less often if it takes long', async () => {
  const { clock, next, read } = setUp();
  assert.equal(await read(), 1);
  Object.assign(next, { takesMs: 500, queued: 2 });
  assert.equal(await read(), 1);
  clock.advance(10_000);
  assert.equal(await read(), 2);
  next.queued = 3;
  clock.advance(20_000);
  assert.equal(await read(), 2);
  clock.advance(5_000);
  assert.equal(await read(), 3);
});

test('queue count: the database did not answer → counted again within a minute', async () => {
  const { clock, next, read } = setUp();
  Object.assign(next, { takesMs: 12_000, queued: new Error('no answer') });
  assert.equal(await read(), Number.NaN);
  Object.assign(next, { takesMs: 5, queued: 4 });
  clock.advance(60_000);
  assert.equal(await read(), 4);
});
