import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import type { Changes } from '../../database/changes/change-feed.ts';
import type { Queryable, Statement } from '../../database/database.ts';
import { createMetrics } from '../../telemetry/index.ts';
import { InboundBroadcast } from './inbound-broadcast.ts';

/** A node with some open numbers, and the queues of others that are not open. */
function openNode({ open, unopened = [], alone = false }: { open: number[]; unopened?: number[]; alone?: boolean }) {
  const clock = createManualClock();
  const counted: [numberId: number, count: number][] = [];
  const sent: string[] = [];
  const heard: ((key: string) => unknown)[] = [];
  const query = async ({ values = [] }: Statement) => {
    const [topic, keys] = values as [string, string[]];
    assert.equal(topic, 'inbound');
    sent.push(...keys);
    return [];
  };
  const follow: Changes['follow'] = (topics, onChange) => {
    assert.equal(topics, 'inbound');
    heard.push(onChange);
  };
  const broadcast = new InboundBroadcast({
    db: { query } as unknown as Queryable,
    clock,
    log: pino({ level: 'silent' }),
    changes: { follow },
    metrics: createMetrics(),
    dispatcher: {
      countInbound(numberId, count) {
        if (open.includes(numberId)) counted.push([numberId, count]);
        return open.includes(numberId);
      },
      hasQueueOf: (numberId) => [...open, ...unopened].includes(numberId),
    },
    alone,
  });
  const hear = (key: string) => {
    for (const onChange of heard) onChange(key);
  };
  /** Advances the clock by the broadcast interval, `times` times. */
  const pass = async (times = 1) => {
    for (let time = 0; time < times; time += 1) {
      clock.advance(200);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  broadcast.start();
  return { broadcast, counted, sent, hear, pass };
}

test('inbound: for a number of another node → broadcast in one batch and counted by its owner', async () => {
  const [here, owner] = [openNode({ open: [1] }), openNode({ open: [2, 3] })];
  for (const [numberId, count] of [
    [1, 1],
    [2, 1],
    [3, 4],
    [2, 2],
  ] as const) {
    here.broadcast.received(numberId, count);
  }
  await here.pass(3);
  assert.deepEqual([here.counted, here.sent], [[[1, 1]], ['2:3,3:4']]);
  for (const node of [here, owner]) node.hear('2:3,3:4');
  await owner.pass();
  assert.deepEqual(
    [here.counted.length, owner.counted, owner.sent],
    [
      1,
      [
        [2, 3],
        [3, 4],
      ],
      [],
    ],
  );
});

test("inbound: this node has the number's queue, or is alone → no broadcast", async () => {
  const owner = openNode({ open: [], unopened: [1] });
  const lone = openNode({ open: [], alone: true });
  for (const node of [owner, lone]) {
    node.broadcast.received(1, 1);
    await node.pass();
    assert.deepEqual(node.sent, []);
  }
});

test('inbound: more than 1,000 numbers → the rest in the next broadcast, none after stop', async () => {
  const node = openNode({ open: [] });
  for (let numberId = 1; numberId <= 1_500; numberId += 1) node.broadcast.received(numberId, 1);
  await node.pass();
  await node.pass();
  assert.deepEqual(
    node.sent.map((key) => key.split(',').length),
    [1_000, 500],
  );
  node.broadcast.received(1, 1);
  await node.broadcast.stop();
  await node.pass();
  assert.equal(node.sent.length, 2);
});
