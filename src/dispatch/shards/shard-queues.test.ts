import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { NUMBER } from '../../../test/support/dispatch-number.ts';
import { type Clock, systemClock } from '../../core/time/clock.ts';
import type { Database, Statement } from '../../database/database.ts';
import { shardOf } from '../../leases/index.ts';
import type { OrganizationSettings } from '../../organizations/index.ts';
import { createMetrics } from '../../telemetry/index.ts';
import { PlatformClock } from '../../upstream/index.ts';
import { NumberBook, type NumberSource } from '../numbers/number-book.ts';
import { createDispatchMetrics } from '../outcomes/dispatch-metrics.ts';
import { CURSORS } from '../queue/discovery-queries.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import { Scheduler } from '../scheduler/index.ts';
import { HOLDS } from '../unknown-outcomes/unknown-outcome-queries.ts';
import { ShardQueues } from './shard-queues.ts';

interface QueuesSetup {
  clock: Clock;
  query: (statement: Statement) => Promise<unknown[]>;
  findByNumberIds: NumberSource['findByNumberIds'];
}

const WAITING = 1;
const NEW = 2;

test("number: first message stored while its shard's others are opened → opened too", async () => {
  const { readings, findByNumberIds } = readLater();
  const { queues, scheduler } = createQueues({
    clock: systemClock,
    query: async ({ name }) => {
      if (name === 'take_snapshot') return [{ snapshot: '1:1:' }];
      return name === 'queue_list_flow_heads' ? [storedRow(WAITING)] : [];
    },
    findByNumberIds,
  });

  const shards = [WAITING, NEW].map((numberId) => ({ shard: shardOf(numberId), epoch: 1, quietMs: null }));
  const takenOver = queues.takeOver(shards);
  while (readings.length === 0) await turn();
  const offer = queues.beginOffer();
  queues.endOffer(offer, [offeredRow(NEW)]);
  readings[0]?.answer();
  await takenOver;
  await turn();
  readings[1]?.answer();
  await turn();
  assert.deepEqual(
    [WAITING, NEW].map((numberId) => scheduler.isOpen(numberId)),
    [true, true],
  );
  queues.close(shards.map(({ shard }) => shard));
});

test('held outcome: reading the queue takes long → held longer by that time', async () => {
  const clock = createManualClock();
  const readForMs = 60_000;
  const lengthened: ReturnType<typeof HOLDS.parse> = [];
  const heldUntil = new Date(clock.now() + 30_000);
  const { queues, scheduler, adopted } = createQueues({
    clock,
    query: async ({ name, values }) => {
      if (name === 'take_snapshot') return [{ snapshot: '1:1:' }];
      if (name === 'queue_list_flow_heads') clock.advance(readForMs);
      if (name === 'queue_lengthen_holds') lengthened.push(...HOLDS.parse(values ?? []));
      if (name !== 'queue_list_held') return [];
      return [{ ...storedRow(WAITING), hold_until: heldUntil, attempted_at: new Date(clock.now() - readForMs) }];
    },
    findByNumberIds: async () => [{ ...NUMBER, numberId: WAITING }],
  });
  await queues.takeOver([{ shard: shardOf(WAITING), epoch: 1, quietMs: null }]);
  const untilMs = clock.now() + readForMs;
  assert.deepEqual(
    adopted.map((row) => row.holdUntilMs),
    [untilMs],
  );
  assert.deepEqual(lengthened.at(-1)?.hold_until, new Date(untilMs), 'stored for the next owner');
  assert.deepEqual(scheduler.expiredHolds(clock.monotonicMs() + readForMs - 1), []);
  queues.close([shardOf(WAITING)]);
});

test('new rows: unopened numbers are read again meanwhile → still found', async () => {
  const clock = createManualClock();
  let xid = 10;
  const lookedFrom: unknown[] = [];
  let isAway = true;
  const { queues, scheduler } = createQueues({
    clock,
    query: async ({ name, values }) => {
      if (name === 'take_snapshot') return [{ snapshot: `${xid}:${xid}:` }];
      if (name !== 'queue_discover') return [];
      lookedFrom.push(...CURSORS.parse(values ?? []).map(({ xid }) => xid));
      return [{ snapshot: `${xid}:${xid}:`, shard: null }];
    },
    async findByNumberIds() {
      if (isAway) throw new Error('away');
      return [{ ...NUMBER, numberId: NEW }];
    },
  });
  await queues.takeOver([{ shard: shardOf(NEW), epoch: 1, quietMs: null }]);
  queues.endOffer(queues.beginOffer(), [offeredRow(NEW)]);
  await turn();
  isAway = false;
  xid = 1_000;
  clock.advance(1_000);
  while (!scheduler.isOpen(NEW)) await turn();
  await queues.discover();
  assert.deepEqual(lookedFrom, ['10']);
  queues.close([shardOf(NEW)]);
});

test('message in doubt: a look that excludes own rows is in progress → still found', async () => {
  const includesOwn: unknown[] = [];
  const answers: (() => void)[] = [];
  const { queues } = createQueues({
    clock: createManualClock(),
    query: async ({ name, values }) => {
      if (name === 'take_snapshot') return [{ snapshot: '10:10:' }];
      if (name !== 'queue_discover') return [];
      includesOwn.push([CURSORS.parse(values ?? []).map(({ xid }) => xid), values?.[1]]);
      await new Promise<void>((resolve) => answers.push(resolve));
      return [{ snapshot: '12:12:', shard: null }];
    },
    findByNumberIds: async () => [],
  });
  await queues.takeOver([{ shard: shardOf(NEW), epoch: 1, quietMs: null }]);
  const offer = queues.beginOffer();
  const looking = queues.discover();
  queues.doubt(offer);
  queues.endOffer(offer, []);
  answers[0]?.();
  await looking;
  const lookingAgain = queues.discover();
  answers[1]?.();
  await lookingAgain;
  assert.deepEqual(includesOwn, [
    [['10'], false],
    [['10'], true],
  ]);
  queues.close([shardOf(NEW)]);
});

test('queue read: a commit is in doubt → waits for a look', async () => {
  let looks = 0;
  const { queues } = createQueues({
    clock: createManualClock(),
    query: async ({ name }) => {
      if (name === 'queue_discover') looks += 1;
      return name === 'take_snapshot' || name === 'queue_discover' ? [{ snapshot: '10:10:', shard: null }] : [];
    },
    findByNumberIds: async () => [],
  });
  await queues.takeOver([{ shard: shardOf(NEW), epoch: 1, quietMs: null }]);
  await queues.catchUp();
  assert.equal(looks, 0, 'every stored row was handed over');
  const offer = queues.beginOffer();
  queues.doubt(offer);
  queues.endOffer(offer, []);
  await queues.catchUp();
  assert.equal(looks, 1);
  queues.close([shardOf(NEW)]);
});

test("rows of other nodes: the shard's numbers are only partly open → found", async () => {
  const { readings, findByNumberIds } = readLater();
  const found = { ...storedRow(NEW), shard: shardOf(NEW), xid: '11', until_xid: '99' };
  const { queues, scheduler } = createQueues({
    clock: createManualClock(),
    query: async ({ name }) => {
      if (name === 'take_snapshot') return [{ snapshot: '10:10:' }];
      if (name === 'queue_discover') return [{ ...found, snapshot: '12:12:' }];
      return name === 'queue_list_flow_heads' ? [storedRow(WAITING)] : [];
    },
    findByNumberIds,
  });
  const shards = [WAITING, NEW].map((numberId) => ({ shard: shardOf(numberId), epoch: 1, quietMs: null }));
  const takenOver = queues.takeOver(shards);
  while (readings.length === 0) await turn();
  await queues.discover();
  readings[0]?.answer();
  await takenOver;
  await turn();
  readings[1]?.answer();
  await turn();
  assert.deepEqual(readings[1]?.numberIds, [NEW]);
  assert.equal(scheduler.isOpen(NEW), true);
  queues.close(shards.map(({ shard }) => shard));
});

/** Numbers whose reads wait until the test answers. */
function readLater() {
  const readings: { numberIds: number[]; answer: () => void }[] = [];
  const findByNumberIds: NumberSource['findByNumberIds'] = (numberIds) =>
    new Promise((resolve) => {
      readings.push({ numberIds, answer: () => resolve(numberIds.map((numberId) => ({ ...NUMBER, numberId }))) });
    });
  return { readings, findByNumberIds };
}

function createQueues({ clock, query, findByNumberIds }: QueuesSetup) {
  const db = { query } as unknown as Database;
  const scheduler = new Scheduler();
  const adopted: QueueRow[] = [];
  const queues = new ShardQueues({
    db,
    clock,
    log: pino({ level: 'silent' }),
    nodeId: 'node',
    alone: true,
    upstream: { platformClock: new PlatformClock(clock) },
    scheduler,
    book: new NumberBook({
      ...{ db, clock, scheduler, numbers: { findByNumberIds } },
      settings: { get: async () => ({ weight: 1 }) } as unknown as OrganizationSettings,
    }),
    unknown: {
      adopt: (rows) => void adopted.push(...rows),
      beginAdoption: () => () => {},
    },
    metrics: createDispatchMetrics(createMetrics()),
    inFlight: { journals: () => ({ batches: 0, inFlight: [] }) },
    wakeup: { wake() {} },
  });
  return { queues, scheduler, adopted };
}

function storedRow(numberId: number) {
  const now = new Date();
  const times = { accepted_at: now, due_at: null, hold_until: null, attempted_at: null };
  return {
    seq: 1,
    number_id: numberId,
    flow_id: 4,
    contact: 15550001,
    message_id: 'm1',
    attempt: 0,
    unknown_count: 0,
    ...times,
  };
}

function offeredRow(numberId: number) {
  const times = { acceptedAtMs: Date.now(), dueAtMs: null };
  return {
    seq: 2,
    numberId,
    flowId: 4,
    contact: '15550002',
    messageId: 'm2',
    attempt: 0,
    ...times,
  };
}
