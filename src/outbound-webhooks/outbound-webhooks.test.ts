import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { fakeDatabase } from '../../test/harness/fake-database.ts';
import { createSecretBox } from '../core/secret-box.ts';
import { systemClock } from '../core/time/clock.ts';
import { type Changes, createChangeFeed } from '../database/changes/change-feed.ts';
import type { Database, Statement } from '../database/database.ts';
import { Heartbeat } from '../leases/index.ts';
import { createMetrics } from '../telemetry/index.ts';
import { OutboundWebhooks } from './outbound-webhooks.ts';

const log = pino({ level: 'silent' });

function createWebhooks(db: Database, changes: Changes) {
  return new OutboundWebhooks({
    db,
    directDb: db,
    clock: systemClock,
    log,
    random: () => 0.5,
    nodeId: 'node',
    alone: true,
    heartbeat: new Heartbeat({ db, clock: systemClock, log, nodeId: 'node', servesApi: true, alone: true }),
    changes,
    secretBox: createSecretBox([Buffer.alloc(32)]),
    egress: { postWebhook: () => assert.fail('nothing is delivered') },
    metrics: createMetrics(),
  });
}

test('catch-up: changes may have been missed → waits until the endpoints are read again', async () => {
  const { promise: endpoints, resolve: answer } = Promise.withResolvers<never[]>();
  const query = async ({ name }: Statement) => (name === 'take_snapshot' ? [{ snapshot: '1:1:' }] : endpoints);
  const db = fakeDatabase({ query });
  const changes = createChangeFeed({ db, clock: systemClock, log });
  createWebhooks(db, changes);
  let isCaughtUp = false;
  const caughtUp = changes.catchUp().then(() => {
    isCaughtUp = true;
  });
  await turn();
  assert.equal(isCaughtUp, false);
  answer([]);
  await caughtUp;
});

test('endpoint changes: arrive during a read → read together after it', async () => {
  const asked: unknown[] = [];
  const { promise: endpoints, resolve: answer } = Promise.withResolvers<never[]>();
  const query = ({ name, values }: Statement) => {
    asked.push(name, ...(values ?? []));
    return endpoints;
  };
  const subscribers: Parameters<Changes['follow']>[] = [];
  createWebhooks(fakeDatabase({ query }), { on() {}, follow: (...all) => subscribers.push(all) });
  const [, onChange, onMissed] = subscribers.find(([topic]) => topic === 'webhook') ?? assert.fail();
  const done = Promise.all([onMissed(), onChange('one'), onChange('other')]);
  assert.deepEqual(asked.splice(0), ['webhook_endpoint_list_versions']);
  answer([]);
  await done;
  assert.deepEqual(asked, ['webhook_endpoint_list_by_id', ['one', 'other']]);
});
