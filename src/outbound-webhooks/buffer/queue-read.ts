import type { Event } from '../../events/index.ts';
import type { FreshRow, QueueRow } from '../queue/queue-queries.ts';

/** What has to be read from the table for an endpoint. */
export interface Read {
  /** Rows never tried, after this number. */
  fresh: { afterSeq: number } | undefined;
  retries: boolean;
  conversations: string[];
  rowsMax: number;
  /** Which filling of the memory it belongs to. */
  filling: number;
}

/** What was read. Rows neither blocked nor in `events` nor in `unread` tell of events that no longer exist. */
export interface ReadResult {
  fresh: FreshRow[];
  retries: QueueRow[];
  conversations: Map<string, QueueRow[]>;
  events: Map<number, Event>;
  /** Rows whose events are left to the next read. */
  unread: ReadonlySet<number>;
}
