/**
 * Times: every `nowMs`, `…AtMs` and `untilMs` is on one monotonic clock in fractional milliseconds, except `acceptedAtMs`, which is passed
 * through unread.
 */

/** One message waiting in the durable queue table. `seq` is unique over all numbers and never used again. */
export interface QueueRow {
  readonly seq: number;
  readonly numberId: number;
  readonly flowId: number;
  /** Key of its recipient: the conversation key. */
  readonly contact: string;
  readonly messageId: string;
  readonly acceptedAtMs: number;
  readonly attempt: number;
  /** Earliest time of dispatch; null = at once. */
  readonly dueAtMs: number | null;
}

/** A message that may go to the platform now. In flight until settled. */
export interface Dispatch extends Omit<QueueRow, 'dueAtMs'> {
  readonly organizationId: string;
  /** Time at which the pair will have regained its full burst, this message included. */
  readonly pairFreeAtMs: number;
}

/**
 * End of a dispatch.
 * - `done`: it is over, sent or failed. Only after the deletion of its row is committed: a read that starts later must not see it.
 * - `dropped`: like `done`, but it never left the process (expired, cancelled): its number and pair charges are given back.
 * - `unsent`: it never left the process and goes again at once; charges given back.
 * - `retry`: the platform did not accept it; it goes again from `dueAtMs` on, with the given `attempt`. `refundPair` gives the pair's
 *   charge back (for refusals that do not count against the pair).
 * - `hold`: outcome unknown; its recipient gets no message until `release`.
 */
export type Settlement =
  | { readonly kind: 'done' }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'unsent' }
  | { readonly kind: 'retry'; readonly dueAtMs: number; readonly attempt: number; readonly refundPair?: boolean }
  | { readonly kind: 'hold'; readonly untilMs: number };

/** At most `limit` rows of a number to read after `afterSeq`, by seq, in a snapshot taken after the request. */
interface Read {
  readonly id: number;
  readonly numberId: number;
  readonly afterSeq: number;
  readonly limit: number;
}

export interface FlowRead extends Read {
  readonly kind: 'flow';
  readonly flowId: number;
}

/** Rows of a recipient in all flows. */
export interface RecipientRead extends Read {
  readonly kind: 'recipient';
  readonly contact: string;
}

export type ReadRequest = FlowRead | RecipientRead;

/** A pair's used burst: `debtMs` from the time at which it was listed or restored. */
export interface PairDebt {
  readonly contact: string;
  readonly debtMs: number;
}

/** Rows and settings that the owner has read for a number. */
export interface NumberOpening {
  readonly numberId: number;
  readonly organizationId: string;
  /** Share of this node among organizations with work; positive. The latest opening of any of its numbers sets it. */
  readonly organizationWeight: number;
  readonly ratePerSecond: number;
  readonly inFlightMax: number;
  readonly paused: boolean;
  /** Every flow with rows in the table: its first rows by seq, and `more` if there are rows beyond them. */
  readonly flows: readonly { readonly flowId: number; readonly rows: readonly QueueRow[]; readonly more: boolean }[];
  /**
   * Every row with an unknown outcome, also if it is not among `flows`. Rows still in flight from before the number was closed belong here
   * too; their settlement is then a `release`.
   */
  readonly held: readonly { readonly row: QueueRow; readonly untilMs: number }[];
  readonly pairDebt?: readonly PairDebt[];
  /** Every pair counts as having used its burst up to at least this time, because a previous owner may not have stored a small debt. */
  readonly pairsFreeAtMs?: number;
}

/** Reason and end of a number's stop. */
export interface Parking {
  readonly untilMs: number;
  readonly reason: string;
}

/** Reasons why messages of one number wait, as known to the scheduler. */
export interface NumberExplanation {
  /** Recipients with a message that may go. */
  readonly readyRecipients: number;
  /** Recipients waiting for their pair limit. */
  readonly pairLimitedRecipients: number;
  /** Recipients whose first message is not due yet. */
  readonly notDueRecipients: number;
  /** Messages in flight to the platform. */
  readonly inFlight: number;
  /** Messages with an unknown outcome. */
  readonly held: number;
  /** True if the number's rate does not permit the next message yet. */
  readonly isPaced: boolean;
  readonly paused: boolean;
  readonly parked: Parking | null;
}

export interface PreviewOptions {
  /** Limit of the messages that go next, and of those kept back. */
  readonly max: number;
  /** Time between two calls of `take` while messages wait for their pace. */
  readonly roundMs: number;
}

type MessageAhead = Pick<QueueRow, 'seq' | 'numberId' | 'flowId' | 'messageId' | 'acceptedAtMs'> & {
  readonly organizationId: string;
};

/** A message that goes soon. */
export interface Turn extends MessageAhead {
  /** Time at which it goes. */
  readonly atMs: number;
}

/** A message that cannot go, whatever its turn. */
export interface KeptBack extends MessageAhead {
  readonly reason: 'paused' | 'parked' | 'pair limit' | 'retry' | 'unknown outcome' | 'on its way';
  /** Reason of the parking. */
  readonly detail: string | null;
  /** Time at which this ends by itself; null if that is not known. */
  readonly untilMs: number | null;
}

/** A flow of a stopped number, whose messages are in the table only. */
export type UnreadFlow = Omit<KeptBack, 'seq' | 'messageId' | 'acceptedAtMs'>;

export interface NextMessages {
  /** Messages in the order in which `take` returns them if every message is answered at once, and no further one arrives. */
  readonly turns: readonly Turn[];
  /** Some messages of each number that are kept back. */
  readonly keptBack: readonly KeptBack[];
  /** Flows whose messages are kept back and not in memory. */
  readonly unread: readonly UnreadFlow[];
}

/** Sizes of all data held in memory. */
export interface SchedulerTotals {
  readonly organizations: number;
  readonly numbers: number;
  /** Numbers with messages that are only in the table. */
  readonly numbersUnread: number;
  readonly flows: number;
  /** Recipients known, for their messages or for their pair limit. */
  readonly recipients: number;
  /** Messages in memory: waiting, in flight and held. */
  readonly messages: number;
  readonly inFlight: number;
  readonly held: number;
  readonly readyRecipients: number;
  /** Recipients waiting for their pair limit or a due time. */
  readonly waitingRecipients: number;
  /** Finished seqs remembered because a statement that may still show them is running. */
  readonly finishedRemembered: number;
}
