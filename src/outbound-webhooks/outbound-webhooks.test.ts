import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { systemClock } from '../core/clock.ts';
import { createSecretBox } from '../core/secret-box.ts';
import { createChangeFeed } from '../database/change-feed.ts';
import type { Database, Statement } from '../database/database.ts';
import { createMetrics } from '../telemetry/index.ts';
import { OutboundWebhooks } from './outbound-webhooks.ts';

test('catching up when changes may have been missed waits until the endpoints are read anew', async () => {
  const { promise: endpoints, resolve: answer } = Promise.withResolvers<never[]>();
  const query = async ({ name }: Statement) => (name === 'take_snapshot' ? [{ snapshot: '1:1:' }] : endpoints);
  const db = { query } as unknown as Database;
  const log = pino({ level: 'silent' });
  const changes = createChangeFeed({ db, clock: systemClock, log });
  new OutboundWebhooks({
    db,
    clock: systemClock,
    log,
    random: () => 0.5,
    nodeId: 'node',
    alone: true,
    changes,
    secretBox: createSecretBox([Buffer.alloc(32)]),
    egress: { postWebhook: () => assert.fail('nothing is delivered') },
    metrics: createMetrics(),
  });
  let isCaughtUp = false;
  const caughtUp = changes.catchUp().then(() => {
    isCaughtUp = true;
  });
  await turn();
  assert.equal(isCaughtUp, false);
  answer([]);
  await caughtUp;
});
