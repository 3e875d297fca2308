import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { type Clock, systemClock } from '../../../src/core/time/clock.ts';
import type { Database } from '../../../src/database/database.ts';
import type { Egress } from '../../../src/egress/index.ts';
import { createSecret } from '../../../src/outbound-webhooks/attempt/signature.ts';
import { createSigner } from '../../../src/outbound-webhooks/attempt/webhook-request.ts';
import { DeliveryEngine } from '../../../src/outbound-webhooks/delivery/delivery-engine.ts';
import { createMetrics } from '../../../src/telemetry/index.ts';
import { QueueTable } from './queue-table.ts';
import { sampleEndpoint } from './sample-endpoint.ts';
import { messageEvent } from './sample-events.ts';

/** Delivers one event through an engine to an endpoint that answers with `status`. */
export async function deliverOne(
  db: Database,
  options: Parameters<typeof sampleEndpoint>[0],
  status: number,
  clock: Clock = systemClock,
): Promise<void> {
  const { promise: read, resolve: reading } = Promise.withResolvers<void>();
  const { query } = db;
  db.query = async (statement) => {
    if (statement.name === 'webhook_queue_list_fresh') reading();
    return await query(statement);
  };
  const engine = createEngine(db, async () => ({ kind: 'response', status, bodyStart: '', latencyMs: 1 }), clock);
  engine.put(sampleEndpoint(options), createSigner('standard', createSecret('standard', 'hmac'), undefined));
  await read;
  await turn();
  engine.offer([{ row: new QueueTable().insert(null), event: messageEvent({ type: 'message.sent' }) }]);
}

/** Fails on any post. */
export const notPosted: Egress['postWebhook'] = () => assert.fail('nothing is posted');

/** Creates an engine that writes to `db` and posts with `postWebhook`. */
export function createEngine(db: Database, postWebhook = notPosted, clock: Clock = systemClock): DeliveryEngine {
  return new DeliveryEngine({
    db,
    clock,
    log: pino({ level: 'silent' }),
    random: () => 0.5,
    egress: { postWebhook },
    metrics: createMetrics(),
  });
}
