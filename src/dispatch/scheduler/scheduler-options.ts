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
  /** Recipients of one number waiting for a time; beyond it no flow of the number that has a window of its own in memory is read on. */
  readonly waitingRecipientsMax: number;
  /**
   * Messages in flight, of all numbers together, that there is room for. Each organization leaves an eighth of what it has and what is
   * free to the others: what the platform leaves unanswered stays in flight for long.
   */
  readonly inFlightMax: number;
  /** Messages in memory, of all numbers together, at which the bounds above have shrunk to the least (`WindowBounds`). */
  readonly messagesMax: number;
}

export const DEFAULT_OPTIONS: SchedulerOptions = {
  classWeights: [16, 8, 8, 1],
  paceToleranceMs: 30,
  pairIntervalMs: 6000,
  pairBurst: 45,
  windowRecipients: 256,
  chainMessagesMax: 64,
  waitingChainMessagesMax: 4,
  waitingRecipientsMax: 8192,
  inFlightMax: Number.MAX_SAFE_INTEGER,
  messagesMax: 100_000,
};
