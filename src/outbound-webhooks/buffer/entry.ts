import type { Event } from '../../events/index.ts';
import type { QueueRow } from '../queue/queue-queries.ts';

/** A delivery in memory. */
export interface Entry {
  row: QueueRow;
  event: Event;
}
