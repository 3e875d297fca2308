import type { SchedulerOptions } from './scheduler-options.ts';

/** The least a bound shrinks to: what keeps a flow, or a number, going from one read to the next. */
const RECIPIENTS_MIN = 4;
const WAITING_RECIPIENTS_MIN = 16;

/**
 * How much of the queue may be in memory. Each bound is what the options say while nothing is in memory, and shrinks as memory
 * fills, to little when `messagesMax` messages are there: few flows have wide windows, and however many there are share the room.
 * What is in memory stays; a bound only decides what comes.
 */
export class WindowBounds {
  readonly #options: SchedulerOptions;
  readonly #tally: { readonly messages: number };

  /** `tally.messages`: messages in memory now. */
  constructor(options: SchedulerOptions, tally: { readonly messages: number }) {
    this.#options = options;
    this.#tally = tally;
  }

  /** Recipients of one flow kept dispatchable, rows of one read of it, and rows that wait for one. */
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

  /** Recipients of one number that wait for a time; beyond it no flow of the number that has a window of its own in memory is read on. */
  get waitingRecipients(): number {
    return this.#shrunk(this.#options.waitingRecipientsMax, WAITING_RECIPIENTS_MIN);
  }

  #shrunk(full: number, least: number): number {
    const free = 1 - this.#tally.messages / this.#options.messagesMax;
    return Math.max(Math.ceil(full * free), Math.min(full, least));
  }
}
