import type { Logger } from 'pino';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../database/database.ts';
import type { OrganizationSettings } from '../organizations/index.ts';
import type { NumberBook } from './number-book.ts';
import type { SettledMessage } from './outbox.ts';
import { findSettlingStatuses, type QueueRow } from './queries.ts';
import type { ResultRecorder } from './result-recorder.ts';
import type { Scheduler } from './scheduler/index.ts';

/** A message that may or may not have been sent. Times are wall-clock milliseconds. */
export interface UnknownOutcome {
  seq: number;
  numberId: number;
  flowId: number;
  contact: string;
  messageId: string;
  attempt: number;
  unknownCount: number;
  /** Start of the attempt whose outcome is unknown. */
  sinceMs: number;
}

export interface UnknownOutcomesDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  settings: OrganizationSettings;
  scheduler: Scheduler;
  recorder: ResultRecorder;
  book: NumberBook;
  onSettled: (message: SettledMessage) => void;
  changed: () => void;
}

const LOOK_MS = 250;
const QUESTIONS_MAX = 500;
/** The upstream stamps whole seconds, and clocks differ a little. */
const CLOCK_SLACK_MS = 2_000;
/** A takeover does not know when its predecessor's attempts began, only that they were recent. */
const TAKEOVER_SINCE_MS = 15_000;
const UNKNOWN_MAX = 2;
const DECIDE_AGAIN_MS = 5_000;

/**
 * Settles unknown outcomes. While one is open its recipient gets nothing else, so a status for the same number and person whose
 * wamid nobody knows can only speak of it. `held` → a status settles it: sent. Or its time passes: resent once, if the
 * organization's policy allows, else failed as UNKNOWN_OUTCOME; a second unknown outcome always fails.
 */
export class UnknownOutcomes {
  readonly #deps: UnknownOutcomesDeps;
  readonly #open = new Map<number, UnknownOutcome>();
  #cancelLook: (() => void) | undefined;
  #stopped = false;

  constructor(deps: UnknownOutcomesDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#open.size;
  }

  add(outcome: UnknownOutcome): void {
    this.#open.set(outcome.seq, outcome);
    this.#lookLater();
  }

  /** Takes over what a predecessor left open. */
  adopt(rows: QueueRow[]): void {
    for (const row of rows) this.add({ ...row, sinceMs: this.#deps.clock.now() - TAKEOVER_SINCE_MS });
  }

  /** Decides on those whose time has passed. */
  expire(): void {
    for (const { seq } of this.#deps.scheduler.expiredHolds(this.#deps.clock.monotonicMs())) {
      const outcome = this.#open.get(seq);
      if (outcome !== undefined) void this.#decide(outcome);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelLook?.();
  }

  #lookLater(): void {
    if (this.#stopped || this.#cancelLook !== undefined || this.#open.size === 0) return;
    this.#cancelLook = this.#deps.clock.schedule(LOOK_MS, () => {
      this.#look()
        .catch((error) => this.#deps.log.warn({ err: error }, 'unknown outcomes not looked up'))
        .finally(() => {
          this.#cancelLook = undefined;
          this.#lookLater();
        });
    });
  }

  async #look(): Promise<void> {
    const questions = [...this.#open.values()].slice(0, QUESTIONS_MAX).flatMap((outcome) => {
      const number = this.#deps.book.find(outcome.numberId);
      if (number === undefined) {
        this.#open.delete(outcome.seq);
        return [];
      }
      const { organizationId, phoneNumberId } = number;
      return [{ ...outcome, organizationId, phoneNumberId, sinceMs: outcome.sinceMs - CLOCK_SLACK_MS }];
    });
    for (const { seq, wamid } of await findSettlingStatuses(this.#deps.db, questions)) {
      const outcome = this.#open.get(seq);
      if (outcome !== undefined) await this.#end(outcome, { kind: 'sent', wamid });
    }
  }

  async #decide(outcome: UnknownOutcome): Promise<void> {
    const { settings, book, recorder, scheduler, clock, log } = this.#deps;
    try {
      const number = book.find(outcome.numberId);
      if (number === undefined) return;
      const { unknownOutcomePolicy } = await settings.get(number.organizationId);
      if (unknownOutcomePolicy === 'fail' || outcome.unknownCount >= UNKNOWN_MAX) {
        const errorMessage = 'It is not known whether the upstream platform took the message.';
        await this.#end(outcome, {
          kind: 'failed',
          errorCode: 'UNKNOWN_OUTCOME',
          errorMessage,
          errorTitle: 'Unknown outcome',
        });
        return;
      }
      await recorder.postpone({ ...outcome, dueAtMs: null, holdUntilMs: null });
      // A status may have settled it while that was written.
      if (!this.#open.delete(outcome.seq)) return;
      log.warn({ messageId: outcome.messageId }, 'outcome still unknown after its hold; sending once more');
      const nowMs = clock.monotonicMs();
      scheduler.release(nowMs, outcome.seq, { kind: 'retry', dueAtMs: nowMs, attempt: outcome.attempt });
      this.#deps.changed();
    } catch (error) {
      log.error({ err: error, messageId: outcome.messageId }, 'unknown outcome not decided yet');
      const nowMs = clock.monotonicMs();
      scheduler.release(nowMs, outcome.seq, { kind: 'hold', untilMs: nowMs + DECIDE_AGAIN_MS });
    }
  }

  async #end(outcome: UnknownOutcome, result: SettledMessage['outcome']): Promise<void> {
    const { book, recorder, scheduler, clock, onSettled, changed } = this.#deps;
    const number = book.find(outcome.numberId);
    if (number === undefined || !this.#open.delete(outcome.seq)) return;
    const { organizationId } = number;
    const { messageId, numberId, flowId, seq } = outcome;
    await recorder.complete({ organizationId, messageId, numberId, flowId, seq, atMs: clock.now(), result });
    onSettled({ organizationId, messageId, outcome: result });
    scheduler.release(clock.monotonicMs(), seq, { kind: 'done' });
    changed();
  }
}
