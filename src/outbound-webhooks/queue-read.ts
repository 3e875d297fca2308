import type { Event } from '../events/index.ts';
import type { QueueRow } from './queue-queries.ts';

/** What has to be read from the table for an endpoint. */
export interface Read {
  /** Rows never tried, after this number. */
  fresh: { afterSeq: number } | undefined;
  retries: boolean;
  conversations: string[];
  /** Conversations whose first delivery has failed before. */
  blocked: boolean;
  rowsMax: number;
  /** Which filling of the memory it belongs to. */
  filling: number;
}

/** What was read. Rows neither in `events` nor in `unread` tell of events that no longer exist. */
export interface ReadResult {
  fresh: QueueRow[];
  retries: QueueRow[];
  conversations: Map<string, QueueRow[]>;
  blocked: string[];
  events: Map<number, Event>;
  /** Rows whose events are left to the next read. */
  unread: ReadonlySet<number>;
}
