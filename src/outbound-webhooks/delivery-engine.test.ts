import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { systemClock } from '../core/clock.ts';
import type { Database, Statement } from '../database/database.ts';
import { createMetrics } from '../telemetry/index.ts';
import { DeliveryEngine } from './delivery-engine.ts';
import { QueueTable } from './testing/queue-table.ts';
import { sampleEndpoint } from './testing/sample-endpoint.ts';
import { messageEvent } from './testing/sample-events.ts';
import { createSigner } from './webhook-request.ts';

test('an endpoint is given back once what could not be told in its format has ended', { timeout: 10_000 }, async () => {
  const reading = Promise.withResolvers<void>();
  const writing = Promise.withResolvers<void>();
  const { promise: written, resolve: write } = Promise.withResolvers<never[]>();
  const query = async ({ name }: Statement) => {
    if (name === 'webhook_queue_list_fresh') reading.resolve();
    if (name !== 'webhook_delivery_record') return [];
    writing.resolve();
    return await written;
  };
  const engine = createEngine({ query } as unknown as Database);
  engine.put(sampleEndpoint({ format: 'cloud_api' }), createSigner('cloud_api', 'secret', undefined));
  await reading.promise;
  await turn();
  engine.offer([{ row: new QueueTable().insert(null), event: messageEvent({ type: 'message.queued' }) }]);
  await writing.promise;
  const removed = engine.remove(() => true);
  write([]);
  await removed;
});

test('how an endpoint fares is noted again when its settings have changed before that was written', {
  timeout: 10_000,
}, async () => {
  const { promise: noted, resolve: note } = Promise.withResolvers<unknown[]>();
  const query = async ({ name, values }: Statement) => {
    if (name === 'webhook_endpoint_update_health') note(values ?? []);
    return [];
  };
  const engine = createEngine({ query } as unknown as Database);
  const signer = createSigner('cloud_api', 'secret', undefined);
  engine.put(sampleEndpoint({ failuresInRow: 2, failingSinceMs: 5 }), signer);
  const changed = sampleEndpoint({ failuresInRow: 1, failingSinceMs: 5, description: 'mine', updatedAtMs: 7 });
  engine.put(changed, signer);
  assert.deepEqual(await noted, [[changed.organizationId], [changed.id], [2], [new Date(5)], [new Date(7)]]);
});

function createEngine(db: Database): DeliveryEngine {
  return new DeliveryEngine({
    db,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    random: () => 0.5,
    egress: { postWebhook: () => assert.fail('nothing is posted') },
    metrics: createMetrics(),
  });
}
