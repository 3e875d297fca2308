/**
 * Times: every `nowMs`, `…AtMs` and `untilMs` is on one monotonic clock in fractional milliseconds, except `acceptedAtMs`,
 * which is carried through unread.
 */

/** One message waiting in the durable queue table. `seq` is unique over all numbers and never used again. */
export interface QueueRow {
  readonly seq: number;
  readonly numberId: number;
  readonly flowId: number;
  /** Names its recipient: the conversation key. */
  readonly contact: string;
  readonly messageId: string;
  readonly acceptedAtMs: number;
  readonly attempt: number;
  /** Not to be dispatched before; null = at once. */
  readonly dueAtMs: number | null;
}

/** A message that may go to the upstream now. In flight until settled. */
export interface Dispatch extends Omit<QueueRow, 'dueAtMs'> {
  readonly organizationId: string;
  /** When the pair will have earned back all it has used of its burst, this message included. */
  readonly pairFreeAtMs: number;
}

/**
 * How a dispatch ended.
 * - `done`: it is over, sent or failed. Only after the deletion of its row is committed: a read that starts later must not see it.
 * - `dropped`: as `done`, but it never left the box (expired, cancelled): its number and pair charges are given back.
 * - `unsent`: it never left the box and is to go again at once; charges given back.
 * - `retry`: the upstream did not take it; it goes again from `dueAtMs` on, as the `attempt` given. `refundPair` gives the
 *   pair's charge back (for refusals that do not count against the pair).
 * - `hold`: outcome unknown; its recipient gets nothing until `release`.
 */
export type Settlement =
  | { readonly kind: 'done' }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'unsent' }
  | { readonly kind: 'retry'; readonly dueAtMs: number; readonly attempt: number; readonly refundPair?: boolean }
  | { readonly kind: 'hold'; readonly untilMs: number };

/** Rows to read: `number_id = ? AND flow_id = ? AND seq > ? ORDER BY seq LIMIT ?`, in a snapshot taken after the request was. */
interface FlowRead {
  readonly kind: 'flow';
  readonly id: number;
  readonly numberId: number;
  readonly flowId: number;
  readonly afterSeq: number;
  readonly limit: number;
}

/** Rows to read: `number_id = ? AND contact = ? AND seq > ? ORDER BY seq LIMIT ?`, all flows, in a snapshot taken after the request was. */
interface RecipientRead {
  readonly kind: 'recipient';
  readonly id: number;
  readonly numberId: number;
  readonly contact: string;
  readonly afterSeq: number;
  readonly limit: number;
}

export type ReadRequest = FlowRead | RecipientRead;

/** A pair's use of its burst, `debtMs` ahead of the moment it was listed or restored at. */
export interface PairDebt {
  readonly contact: string;
  readonly debtMs: number;
}

/** What the owner has read of a number's queue. */
export interface NumberOpening {
  readonly numberId: number;
  readonly organizationId: string;
  /** Share of the box among organizations with work; positive. The latest opening of any number sets it. */
  readonly organizationWeight: number;
  readonly ratePerSecond: number;
  readonly inFlightMax: number;
  readonly paused: boolean;
  /** Every flow with rows in the table: its first rows by seq, and whether it has `more` beyond them. */
  readonly flows: readonly { readonly flowId: number; readonly rows: readonly QueueRow[]; readonly more: boolean }[];
  /**
   * Every row whose outcome is unknown, whether or not it is among `flows`. Rows still in flight from before the number was closed
   * belong here too; their settlement is then a `release`.
   */
  readonly held: readonly { readonly row: QueueRow; readonly untilMs: number }[];
  readonly pairDebt?: readonly PairDebt[];
  /** Every pair counts as having used its burst up to this time at least: a previous owner may not have said so. */
  readonly pairsFreeAtMs?: number;
}

/** Why and until when a number sends nothing. */
export interface Parking {
  readonly untilMs: number;
  readonly reason: string;
}

/** Why messages of one number wait, as the scheduler knows it. */
export interface NumberExplanation {
  /** Recipients with a message that may go. */
  readonly readyRecipients: number;
  /** Recipients waiting for their pair limit. */
  readonly pairLimitedRecipients: number;
  /** Recipients whose first message is not due yet. */
  readonly notDueRecipients: number;
  /** Messages on their way to the upstream. */
  readonly inFlight: number;
  /** Messages whose outcome is unknown. */
  readonly held: number;
  /** The number's rate does not allow the next message yet. */
  readonly isPaced: boolean;
  readonly paused: boolean;
  readonly parked: Parking | null;
}

/** Sizes of everything held in memory. */
export interface SchedulerTotals {
  readonly organizations: number;
  readonly numbers: number;
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
