import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeDatabase } from '../../../test/harness/fake-database.ts';
import type { Statement } from '../../database/database.ts';
import type { Endpoint } from '../endpoint.ts';
import { KEYS } from './delivery-queries.ts';
import { listDeliveries } from './list-deliveries.ts';

test('delivery list: settled between two reads → listed once, as settled', async () => {
  const key = { subject_id: '01990000-0000-7000-8000-000000000001', sequence: 1, event_type: 0, event_at: new Date(0) };
  const answer = { failure: null, latency_ms: 1, answer: '' };
  const attempt = { ...key, ...answer, at: new Date(0), http_status: 500 };
  // The delivery leaves the queue between the two reads.
  const db = fakeDatabase({
    async query({ text, values = [] }: Statement) {
      if (/FROM webhook_queue/.test(text)) return [{ ...key, seq: 1, due_at: null }];
      if (/FROM webhook_delivery/.test(text)) {
        return [{ ...key, ...answer, delivered: true, settled_at: new Date(1), http_status: 200 }];
      }
      return KEYS.parse(values).map(() => attempt);
    },
  });
  const endpoint = { organizationId: '01990000-0000-7000-8000-000000000002', endpointNumber: 1 } as Endpoint;
  const query = { status: undefined, eventTypes: undefined, fromMs: undefined, toMs: undefined, after: undefined };
  const { deliveries } = await listDeliveries(db, endpoint, { ...query, limit: 10 });
  assert.deepEqual(
    deliveries.map((delivery) => [delivery.status, delivery.attempts.map((made) => made.httpStatus)]),
    [['delivered', [500, 200]]],
  );
});
