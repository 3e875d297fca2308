import { publishChange } from '../../database/changes/change-feed.ts';
import type { Queryable } from '../../database/database.ts';
import { conversationOf, type Event, eventTypeNumber } from '../../events/index.ts';
import type { Entry } from '../buffer/entry.ts';
import type { Endpoint } from '../endpoint.ts';
import { insertQueueRows, type NewQueueRow, queueKey } from './queue-queries.ts';

/** Event to be delivered to an endpoint. */
export interface NewDelivery {
  endpoint: Pick<Endpoint, 'endpointNumber' | 'ordered'>;
  event: Event;
}

/**
 * Queues deliveries in the caller's transaction, which holds the queue's lock, and notifies all nodes. Deliveries that wait already fall
 * due at `nowMs` instead. Returns the deliveries that are new in the queue, in the order given.
 */
export async function queueDeliveries(
  tx: Queryable,
  nodeId: string,
  deliveries: readonly NewDelivery[],
  nowMs: number,
): Promise<Entry[]> {
  if (deliveries.length === 0) return [];
  const rows = deliveries.map(toQueueRow);
  const seqs = await insertQueueRows(tx, rows, nowMs);
  await publishChange(tx, 'webhook_queue', renderNews(nodeId, rows));
  return rows.flatMap((row, index) => {
    const seq = seqs.get(queueKey(row.endpointNumber, row));
    const event = deliveries[index]?.event;
    return seq === undefined || event === undefined
      ? []
      : [{ row: { ...row, seq, attempts: 0, dueAtMs: null }, event }];
  });
}

/** Makes all nodes look: the node that queues the rows does not hold them in memory. */
export const NO_NODE = '';
/** Makes all nodes read whole queues again: rows that are not new have changed, too. */
export const WHOLE_QUEUE = '*';

/** Renders a notice that makes all nodes look at the queues of these endpoints. `nodeId` names a node that need not look, if any. */
export function renderNews(nodeId: string, endpoints: readonly { endpointNumber: number }[]): string {
  return `${nodeId}:${[...new Set(endpoints.map((endpoint) => endpoint.endpointNumber))].join(',')}`;
}

/** Reads a notice that `renderNews` made. */
export function readNews(key: string): { nodeId: string; endpointNumbers: number[] } {
  const [nodeId = '', numbers = ''] = key.split(':');
  return { nodeId, endpointNumbers: numbers.split(',').map(Number) };
}

function toQueueRow({ endpoint, event }: NewDelivery): NewQueueRow {
  const { subjectId, sequence, atSeconds } = event.position;
  return {
    organizationId: event.organizationId,
    endpointNumber: endpoint.endpointNumber,
    subjectId,
    sequence,
    atSeconds,
    eventType: eventTypeNumber(event.type),
    conversation: endpoint.ordered ? conversationOf(event) : null,
  };
}
