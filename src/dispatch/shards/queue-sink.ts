import type { QueueRow } from '../scheduler/index.ts';

/** A stored message on its way to the owner of its number's queue. */
export interface QueuedRow extends QueueRow {
  /** The body to send, so that the owner need not read it again. */
  readonly body: string;
}

/** The dispatching side, as seen by the code that accepts messages. */
export interface QueueSink {
  /** Call before the statement that stores rows. */
  beginOffer(): number;
  /** Hands over rows after their commit, or none if it failed. Closes the offer that `beginOffer` opened. */
  endOffer(token: number, rows: QueuedRow[]): void;
  /** Reports, before its `endOffer`, that a commit is in doubt: rows may exist, or appear later, without being handed over. */
  doubt(token: number): void;
}
