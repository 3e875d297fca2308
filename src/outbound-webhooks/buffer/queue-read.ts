import type { Event } from '../../events/index.ts';
import type { FreshRow, QueueRow } from '../queue/queue-queries.ts';

/** Rows to read from the table for an endpoint. */
export interface Read {
  /** Bound of the rows never tried: only those with higher numbers are read. */
  fresh: { afterSeq: number } | undefined;
  retries: boolean;
  conversations: string[];
  rowsMax: number;
  /** Generation of the memory's contents: the result of a read from an older generation is ignored. */
  filling: number;
}

/** Result of a read. A row that is neither blocked nor in `events` nor in `unread` belongs to an event that no longer exists. */
export interface ReadResult {
  fresh: FreshRow[];
  retries: QueueRow[];
  conversations: Map<string, QueueRow[]>;
  events: Map<number, Event>;
  /** Rows whose events are left to the next read. */
  unread: ReadonlySet<number>;
}
