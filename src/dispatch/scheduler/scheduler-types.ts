/**
 * Times: every `nowMs`, `…AtMs` and `untilMs` is on one monotonic clock in fractional milliseconds, except `acceptedAtMs`,
 * which is carried through unread.
 */

/** One message waiting in the durable queue table. `seq` is unique over all numbers and never used again. */
export interface QueueRow {
  readonly seq: number;
  readonly numberId: number;
  readonly flowId: number;
  /** Digits only. */
  readonly recipient: string;
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
export interface FlowRead {
  readonly kind: 'flow';
  readonly id: number;
  readonly numberId: number;
  readonly flowId: number;
  readonly afterSeq: number;
  readonly limit: number;
}

/** Rows to read: `number_id = ? AND recipient = ? AND seq > ? ORDER BY seq LIMIT ?`, all flows, in a snapshot taken after the request was. */
export interface RecipientRead {
  readonly kind: 'recipient';
  readonly id: number;
  readonly numberId: number;
  readonly recipient: string;
  readonly afterSeq: number;
  readonly limit: number;
}

export type ReadRequest = FlowRead | RecipientRead;

/** A pair's use of its burst, `debtMs` ahead of the moment it was listed or restored at. */
export interface PairDebt {
  readonly recipient: string;
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
  /** Messages whose outcome is unknown. */
  readonly held: number;
  readonly ratePerSecond: number;
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
  readonly readsPending: number;
  readonly readsInFlight: number;
  /** Finished seqs remembered because a statement that may still show them is running. */
  readonly finishedRemembered: number;
}

export interface SchedulerOptions {
  /** Weight of a flow by its traffic class, all positive. */
  readonly classWeights: readonly [authentication: number, session: number, utility: number, marketing: number];
  /**
   * How far a number may have fallen behind its even pace, while messages waited, and make up for it; what is no more than late
   * timers, at any time. A second holds at most rate × (1 s + this) messages, rounded up.
   */
  readonly paceToleranceMs: number;
  /** One pair earns one message per interval … */
  readonly pairIntervalMs: number;
  /** … and saves up to this many. */
  readonly pairBurst: number;
  /** Recipients of one flow kept dispatchable; a flow is read on when fewer than half are. Also the rows of one read. */
  readonly windowRecipients: number;
  /** Messages of one recipient in memory. */
  readonly chainMessagesMax: number;
  /** The same for a recipient that waits for a time or an outcome. */
  readonly waitingChainMessagesMax: number;
  /** Recipients of one number waiting for a time; beyond it the number's flows are not read on. */
  readonly waitingRecipientsMax: number;
  /**
   * Messages in flight, of all numbers together, that there is room for. Each organization leaves an eighth of what it has and what is
   * free to the others: what the platform leaves unanswered stays in flight for long.
   */
  readonly inFlightMax: number;
  /** Messages in memory, of all numbers together, at which the bounds above have shrunk to the least (`WindowBounds`). */
  readonly messagesMax: number;
}

/**
 * Decides which queued messages may go to the upstream now, for numbers this process owns exclusively.
 *
 * Hierarchy: organizations by weight → their eligible numbers, equally → the number's flows by weight → ready recipients in
 * order of their message's seq. Per (number, recipient) one message is in flight at most and the first accepted is the first
 * dispatched, across flows. Nothing here does I/O or reads a clock.
 *
 * The owner's part of the bargain:
 * 1. Every committed row is offered once or more, in any order, by whoever committed or discovered it; where sends depend on
 *    each other (the second was made after the first was acknowledged), the first is offered before it is acknowledged.
 * 2. A statement whose rows will be offered is enclosed in `beginOffer` … `endOffer`, so that a row which was read, sent and
 *    deleted before its offer arrives is not sent again.
 * 3. `takeReads` is polled after calls that change something; each request gets exactly one `answerRead` or `failRead`.
 *
 * Calls about a number that is not open do nothing, so that they may race with its closing.
 */
export interface Scheduler {
  /**
   * From now on rows offered for this number are noted, not refused. Call before reading what `openNumber` will be given.
   * Undone by `closeNumber`. Does nothing for an open number.
   */
  expectNumber(numberId: number): void;
  /** Takes a number under scheduling. Throws if it is open already; RangeError for a rate or weight that is not positive. */
  openNumber(nowMs: number, opening: NumberOpening): void;
  /** Forgets the number; its rows stay in the table. Settlements of what is in flight will find nothing. */
  closeNumber(numberId: number): void;
  isOpen(numberId: number): boolean;

  /** Marks the start of a statement (insert or discovery read) whose rows will be offered. */
  beginOffer(): number;
  /** Hands over committed rows. Answers the ids of numbers neither open nor expected, whose rows were not taken. */
  offer(nowMs: number, rows: readonly QueueRow[]): number[];
  /** Ends what `beginOffer` began, after the offer or when the statement failed. */
  endOffer(token: number): void;

  /** Reads wanted now, at most `max`, each handed out once; numbers take turns. */
  takeReads(nowMs: number, max: number): ReadRequest[];
  /** The rows a read found, in order of seq. An answer for a number closed meanwhile is ignored. */
  answerRead(nowMs: number, requestId: number, rows: readonly QueueRow[]): void;
  /** The read did not happen; it is wanted again at once. */
  failRead(nowMs: number, requestId: number): void;

  /** Up to `max` messages that may go now, each marked in flight and charged. */
  take(nowMs: number, max: number): Dispatch[];
  /** Ends a dispatch. False when `seq` is not in flight (its number was closed meanwhile). */
  settle(nowMs: number, seq: number, settlement: Settlement): boolean;
  /** Held messages whose time is over, each answered once; they stay held until `release`. */
  expiredHolds(nowMs: number): Dispatch[];
  /** Ends a hold, before or after its time. False when `seq` is not held. */
  release(nowMs: number, seq: number, settlement: Settlement): boolean;
  /** Whether the outcome of this message is unknown. */
  isHeld(seq: number): boolean;
  /** Forgets a waiting message that has reached its end without going out; what waits behind it may go. */
  forget(nowMs: number, message: Pick<QueueRow, 'numberId' | 'recipient' | 'seq'>): void;
  /**
   * When `take`, `takeReads` or `expiredHolds` could answer what they cannot answer now, by the passing of time alone; `nowMs` if
   * `take` or `expiredHolds` can answer something now, null if time changes nothing.
   */
  nextWakeMs(nowMs: number): number | null;

  /** Stops a number until `untilMs`. A shorter parking does not end a longer one. Parked numbers are neither read nor looked at. */
  parkNumber(nowMs: number, numberId: number, untilMs: number, reason: string): void;
  unparkNumber(nowMs: number, numberId: number): void;
  pauseNumber(nowMs: number, numberId: number): void;
  resumeNumber(nowMs: number, numberId: number): void;
  /** Throws RangeError when the rate is not positive; pausing is `pauseNumber`. */
  setRate(nowMs: number, numberId: number, ratePerSecond: number): void;
  setInFlightMax(nowMs: number, numberId: number, inFlightMax: number): void;
  /** Throws RangeError when the weight is not positive. */
  setOrganizationWeight(organizationId: string, weight: number): void;
  /** Counts messages the number exchanged elsewhere (inbound) against its rate; at most one second's worth is owed. */
  chargeNumber(nowMs: number, numberId: number, count: number): void;
  /** Nothing goes to this recipient before `untilMs`, and its burst counts as used up then. */
  penalizePair(nowMs: number, numberId: number, recipient: string, untilMs: number): void;
  /** Pairs of a number that have used more than five messages of their burst. */
  listPairDebt(nowMs: number, numberId: number): PairDebt[];

  /** Null when the number is not open. Costs as much as the number holds: for operators, not for loops. */
  explain(nowMs: number, numberId: number): NumberExplanation | null;
  totals(): SchedulerTotals;
}
