import type { QueueRow } from '../scheduler/index.ts';
import type { AcceptanceJournal } from '../sending/acceptance-journal-queries.ts';

/** A stored message on its way to the owner of its number's queue. */
export interface QueuedRow extends QueueRow {
  /** The body to send, so that the owner need not read it again. */
  readonly body: string;
  readonly expiresAtMs: number;
  readonly traceparent: string | undefined;
  /** True if its sender has chosen `/marketing_messages`. */
  readonly marketing: boolean;
  /** True if the statement that stored the row has journaled it. */
  readonly isJournaled: boolean;
}

/** A message about to be stored. */
export type UnstoredRow = Pick<QueueRow, 'numberId' | 'flowId' | 'contact'>;

/** The dispatching side, as seen by the code that accepts messages. */
export interface QueueSink {
  /** Call before the statement that stores rows. */
  beginOffer(): number;
  /**
   * Returns the journal that the statement writes with its rows, if all of them would be sent at once. This saves them the commit of a
   * journal of their own. `endOffer` must follow.
   */
  claim(rows: readonly UnstoredRow[]): AcceptanceJournal | undefined;
  /** Hands over rows after their commit, or none if it failed. Closes the offer that `beginOffer` opened, and the claim. */
  endOffer(token: number, rows: QueuedRow[], claimed?: AcceptanceJournal): void;
  /** Reports, before its `endOffer`, that a commit is in doubt: rows may exist, or appear later, without being handed over. */
  doubt(token: number): void;
}
