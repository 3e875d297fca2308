import type { QueueRow } from '../scheduler/index.ts';

/** A stored message on its way to the owner of its number's queue. */
export interface QueuedRow extends QueueRow {
  /** The text to send, so that the owner need not read it again. */
  readonly body: string;
}

/** The dispatching side, as acceptance sees it. */
export interface QueueSink {
  /** Call before the statement that stores rows. */
  beginOffer(): number;
  /** Hands over the rows whose commit is done, none if it failed. Closes what `beginOffer` opened. */
  endOffer(token: number, rows: QueuedRow[]): void;
  /** Told, before its `endOffer`, that a commit was left in doubt: rows may exist, or come to exist, that were never handed over. */
  doubt(token: number): void;
}
