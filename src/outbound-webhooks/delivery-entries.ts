import type { Queryable } from '../database/database.ts';
import type { Event } from '../events/index.ts';
import { listDeliveriesOfEvents } from './delivery-queries.ts';

/** One delivery of a message's event as the message's timeline shows it. Epoch ms. */
export interface DeliveryEntry {
  atMs: number;
  what: 'webhook';
  members: Readonly<Record<string, unknown>>;
}

/** What was done so far to deliver these events of one message to its organization's endpoints. */
export async function listDeliveryEntries(
  db: Queryable,
  organizationId: string,
  events: readonly Event[],
): Promise<DeliveryEntry[]> {
  if (events.length === 0) return [];
  const idOf = new Map(events.map((event) => [event.sequence, event.id]));
  const refs = events.map(({ position }) => ({ ...position, organizationId }));
  const deliveries = await listDeliveriesOfEvents(db, organizationId, refs);
  return deliveries.map((delivery) => ({
    atMs: delivery.atMs,
    what: 'webhook',
    members: {
      event_id: idOf.get(delivery.sequence),
      webhook_id: delivery.endpointId,
      outcome: delivery.outcome,
      http_status: delivery.httpStatus,
      failure: delivery.failure,
      latency_ms: delivery.latencyMs,
    },
  }));
}
