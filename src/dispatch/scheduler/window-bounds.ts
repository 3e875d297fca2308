import type { SchedulerOptions } from './scheduler-options.ts';

/** The minimum of a bound: enough for a flow, or a number, to continue from one read to the next. */
const RECIPIENTS_MIN = 4;
const WAITING_RECIPIENTS_MIN = 16;

/**
 * Limits of the part of the queue in memory. Each bound has its configured value while memory is empty. It shrinks as memory fills, down to
 * its minimum at `messagesMax` messages: few flows get wide windows, and many flows share the room. Bounds only limit new rows; rows in
 * memory stay.
 */
export class WindowBounds {
  readonly #options: SchedulerOptions;
  readonly #tally: { readonly messages: number };

  /** `tally.messages`: messages in memory now. */
  constructor(options: SchedulerOptions, tally: { readonly messages: number }) {
    this.#options = options;
    this.#tally = tally;
  }

  /** Recipients of one flow kept dispatchable, rows of one read of it, and rows that wait for a read. */
  get recipients(): number {
    return this.#shrunk(this.#options.windowRecipients, RECIPIENTS_MIN);
  }

  /** Messages of a recipient that can go. */
  get chainMessages(): number {
    return this.#shrunk(this.#options.chainMessagesMax, this.waitingChainMessages);
  }

  /** Messages of a recipient that waits for a time or an outcome. */
  get waitingChainMessages(): number {
    return this.#options.waitingChainMessagesMax;
  }

  /**
   * Recipients of one number that wait for a time. Beyond this limit, no flow of the number that fills its own window in memory is read on.
   */
  get waitingRecipients(): number {
    return this.#shrunk(this.#options.waitingRecipientsMax, WAITING_RECIPIENTS_MIN);
  }

  #shrunk(full: number, least: number): number {
    const free = 1 - this.#tally.messages / this.#options.messagesMax;
    return Math.max(Math.ceil(full * free), Math.min(full, least));
  }
}
