import type { TrafficClassName } from './flow-id.ts';

export interface SchedulerOptions {
  /** Weight of a flow by its traffic class, all positive. */
  readonly classWeights: Readonly<Record<TrafficClassName, number>>;
  /**
   * Time by which a number may fall behind its even pace while messages wait, and catch up later. A lag no larger than late timers is
   * always caught up. One second holds at most rate × (1 s + this) messages, rounded up.
   */
  readonly paceToleranceMs: number;
  /** One pair earns one message per interval … */
  readonly pairIntervalMs: number;
  /** … and saves up to this many. */
  readonly pairBurst: number;
  /** Recipients of one flow kept dispatchable; a flow is read on if fewer than half are. Also the number of rows of one read. */
  readonly windowRecipients: number;
  /** Messages of one recipient in memory. */
  readonly chainMessagesMax: number;
  /** The same for a recipient that waits for a time or an outcome. */
  readonly waitingChainMessagesMax: number;
  /**
   * Recipients of one number waiting for a time. Beyond this limit, no flow of the number that fills its own window in memory is read on.
   */
  readonly waitingRecipientsMax: number;
  /**
   * Limit of messages in flight of all numbers. Each organization leaves the others an eighth of its messages in flight plus the free
   * places. Without this, messages that the platform leaves unanswered could occupy all places for long.
   */
  readonly inFlightMax: number;
  /** Messages in memory, of all numbers, at which the bounds above have shrunk to their minimum (`WindowBounds`). */
  readonly messagesMax: number;
}

export const DEFAULT_OPTIONS: SchedulerOptions = {
  classWeights: { authentication: 16, session: 8, utility: 8, marketing: 1 },
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
