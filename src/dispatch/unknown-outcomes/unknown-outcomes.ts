import type { Logger } from 'pino';
import type { Wakeup } from '../../core/run/wakeup.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import type { OrganizationSettings } from '../../organizations/index.ts';
import type { Upstream } from '../../upstream/index.ts';
import type { NumberBook } from '../numbers/number-book.ts';
import type { DispatchOutcome } from '../outcomes/dispatch-outcome.ts';
import { HOLD_TIMES, holdAfterGap } from '../outcomes/outcome-policy.ts';
import type { ResultRecorder } from '../outcomes/result-recorder.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import type { Scheduler, Settlement } from '../scheduler/index.ts';
import type { InFlight, OwnAttempt } from './in-flight.ts';
import type { StatusGap, StatusGaps } from './status-gaps.ts';
import {
  type AttemptTime,
  type EndedHere,
  type PutBack,
  sentAsReported,
  UNKNOWN_OUTCOME,
  type UnknownOutcome,
  unknownOutcomeOf,
} from './unknown-outcome.ts';
import { findSettlingStatuses, lengthenHolds, listGone } from './unknown-outcome-queries.ts';

export interface UnknownOutcomesDeps {
  db: Queryable;
  clock: Clock;
  log: Logger;
  settings: OrganizationSettings;
  upstream: Pick<Upstream, 'platformClock'>;
  scheduler: Pick<Scheduler, 'expiredHolds' | 'endHold'>;
  recorder: Pick<ResultRecorder, 'complete' | 'postpone'>;
  book: Pick<NumberBook, 'find'>;
  /** The attempts in flight in this process, which will learn their results. */
  inFlight: Pick<InFlight, 'has'>;
  gaps: StatusGaps;
  wakeup: Pick<Wakeup, 'wake'>;
}

const LOOK_MS = 250;
const QUESTIONS_MAX = 500;
/**
 * The platform stamps whole seconds, and its clock is only known approximately. Statuses of an earlier attempt are older than this, because
 * a hold lies between two attempts.
 */
const CLOCK_SLACK_MS = 5_000;
/** The platform accepts and delivers a message within this time, however late it reports that. */
const STAMPED_WITHIN_MS = 300_000;
const UNKNOWN_MAX = 2;
const DECIDE_AGAIN_MS = 5_000;
/**
 * Settles unknown outcomes. While an outcome is open, its recipient gets no other message. A status for the same number and person with an
 * unrecorded wamid can therefore only belong to it.
 * If a status arrives, the held message is sent. If its hold ends, it is sent once more, provided that the organization's policy allows it
 * and the organization still has the number. Otherwise, and always after a second unknown outcome, it fails as UNKNOWN_OUTCOME.
 *
 * A hold's time only counts while statuses can arrive. A gap extends the hold by its length. Afterwards the hold lasts at least as long
 * again as the attempt is old, because the platform repeats undelivered webhooks with pauses that grow like that. No outcome is decided
 * before a look that found no status.
 */
export class UnknownOutcomes {
  readonly #deps: UnknownOutcomesDeps;
  readonly #open = new Map<number, UnknownOutcome>();
  /** Outcomes whose hold has ended and that are not decided yet. */
  readonly #due: UnknownOutcome[] = [];
  #isDeciding = false;
  #cancelLook: (() => void) | undefined;
  #stopped = false;
  /** Queues being adopted, and attempts that ended here meanwhile although their outcome was not open. */
  #adoptions = 0;
  readonly #endedHere = new Map<number, EndedHere>();
  /** Looks in progress, and the wamids they have assigned. A wamid settles one message, even if several wait for the same person. */
  #looks = 0;
  readonly #given = new Set<string>();

  constructor(deps: UnknownOutcomesDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Adds an unknown outcome, unless its message has had a later one since, on another node. */
  add(outcome: UnknownOutcome): void {
    if ((this.#open.get(outcome.seq)?.unknownCount ?? 0) > outcome.unknownCount) return;
    if (this.#open.size === 0) this.#deps.gaps.begin();
    this.#open.set(outcome.seq, outcome);
    this.#lookLater();
  }

  /** Adopts the outcomes that the previous owner left open. */
  adopt(rows: readonly QueueRow[]): void {
    for (const row of rows) {
      this.add(unknownOutcomeOf(row));
      const ended = this.#endedHere.get(row.seq);
      if (ended !== undefined) this.endHere(row.seq, ended.settlement, ended.attempt);
    }
  }

  /**
   * Remembers attempts that end here until the returned function is called, because the rows to adopt are being read meanwhile. `adopt`
   * then applies these ends.
   */
  beginAdoption(): () => void {
    this.#adoptions += 1;
    return () => {
      this.#adoptions -= 1;
      if (this.#adoptions === 0) this.#endedHere.clear();
    };
  }

  /**
   * Ends an adopted outcome whose attempt was still in flight in this process and has now ended. `done` is already recorded. Any other
   * settlement means that the platform does not have the message, so it does not count as an unknown outcome.
   * If the outcome is held for a different attempt than the one journaled here, it stays held: another node made that attempt meanwhile.
   */
  endHere(seq: number, settlement: EndedHere['settlement'], attempt: OwnAttempt | undefined): void {
    const outcome = this.#open.get(seq);
    if (outcome === undefined) {
      if (this.#adoptions > 0) this.#endedHere.set(seq, { settlement, attempt });
    } else if (settlement.kind === 'unsent' || settlement.kind === 'retry') {
      if (attempt === undefined || outcome.attemptedAtMs !== attempt.journaledAtMs) return;
      const undone = { attemptedAtMs: attempt.formerAtMs, undoneAtMs: attempt.journaledAtMs };
      const counts = {
        unknownCount: outcome.unknownCount - 1,
        attempt: settlement.kind === 'retry' ? settlement.attempt : outcome.attempt,
      };
      void this.#putBack({ ...outcome, ...undone, ...counts }, settlement);
    } else if (this.#open.delete(seq)) this.#endHold(seq, settlement);
  }

  /**
   * Returns the end of a message before it is sent again, if a status has arrived for its attempt at `attemptedAtMs`. That time is by the
   * platform's clock, null for no attempt. The number may have been stopped for long, so a status may be late.
   * Only a status stamped soon after the attempt counts: later, other messages may have gone to the person from the same number. Never
   * rejects: resolves to `unanswered` if statuses cannot be looked up now.
   */
  async findReported(
    { seq, numberId, messageId, contact }: Pick<QueueRow, 'seq' | 'numberId' | 'messageId' | 'contact'>,
    attemptedAtMs: number | null,
  ): Promise<DispatchOutcome | 'unanswered' | undefined> {
    const { db, book, log } = this.#deps;
    const number = book.find(numberId);
    if (attemptedAtMs === null || number === undefined) return undefined;
    const { organizationId, phoneNumberId } = number;
    const sinceMs = attemptedAtMs - CLOCK_SLACK_MS;
    try {
      const [status] = await findSettlingStatuses(db, [
        { organizationId, messageId, seq, numberId, phoneNumberId, contact, sinceMs },
      ]);
      const isSoon = status !== undefined && status.at.getTime() <= attemptedAtMs + STAMPED_WITHIN_MS;
      return isSoon ? sentAsReported(status) : undefined;
    } catch (error) {
      log.warn({ err: error }, 'statuses not looked up before a resend; the message waits');
      return 'unanswered';
    }
  }

  /** Decides the outcomes whose hold has ended. */
  expire(): void {
    for (const { seq } of this.#deps.scheduler.expiredHolds(this.#deps.clock.monotonicMs())) {
      const outcome = this.#open.get(seq);
      if (outcome !== undefined) this.#due.push(outcome);
      // The outcome is about to be adopted, or has just ended. The scheduler reports an expired hold only once, so the hold is renewed.
      else this.#holdOn(seq, DECIDE_AGAIN_MS);
    }
    if (this.#due.length > 0 && !this.#isDeciding) void this.#decideDue();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelLook?.();
  }

  #lookLater(): void {
    if (this.#stopped || this.#cancelLook !== undefined || this.#open.size === 0) return;
    this.#cancelLook = this.#deps.clock.schedule(LOOK_MS, () => {
      this.#look(this.#nextOutcomes())
        .catch((error) => {
          this.#deps.gaps.miss();
          this.#deps.log.warn({ err: error }, 'unknown outcomes not looked up; the next look retries');
        })
        .finally(() => {
          this.#cancelLook = undefined;
          this.#lookLater();
        });
    });
  }

  /** Returns the outcomes that were looked up least recently. */
  #nextOutcomes(): UnknownOutcome[] {
    const outcomes = [...this.#open.values()].slice(0, QUESTIONS_MAX);
    for (const outcome of outcomes) {
      this.#open.delete(outcome.seq);
      this.#open.set(outcome.seq, outcome);
    }
    return outcomes;
  }

  /**
   * Looks once for the end of these outcomes: a status, or a result recorded by the node that had the message in flight. Returns the seqs
   * whose status was assigned to another message; the next look may find a further status for them.
   */
  async #look(outcomes: UnknownOutcome[]): Promise<Set<number>> {
    this.#looks += 1;
    try {
      return await this.#settle(outcomes);
    } finally {
      this.#looks -= 1;
      if (this.#looks === 0) this.#given.clear();
    }
  }

  async #settle(outcomes: UnknownOutcome[]): Promise<Set<number>> {
    const { db, book } = this.#deps;
    const questions = outcomes.flatMap((outcome) => {
      const number = book.find(outcome.numberId);
      if (number === undefined) {
        this.#open.delete(outcome.seq);
        return [];
      }
      const { organizationId, phoneNumberId } = number;
      return [{ ...outcome, organizationId, phoneNumberId, sinceMs: this.attemptedAtMs(outcome) - CLOCK_SLACK_MS }];
    });
    const passedOver = new Set<number>();
    if (questions.length === 0) return passedOver;
    const settled = await findSettlingStatuses(db, questions);
    const gone = await listGone(db, questions);
    const gap = await this.#deps.gaps.endWithLook();
    if (gap !== undefined) await this.#holdLonger(gap);
    for (const seq of gone) if (this.#open.delete(seq)) this.#endHold(seq, { kind: 'done' });
    // In parallel, so that they share commits: a slow look is a gap for all other outcomes.
    await Promise.all(
      settled.map(async (status) => {
        const outcome = this.#open.get(status.seq);
        if (outcome === undefined) return;
        if (this.#given.has(status.wamid)) {
          passedOver.add(status.seq);
          return;
        }
        this.#given.add(status.wamid);
        await this.#end(outcome, sentAsReported(status));
      }),
    );
    return passedOver;
  }

  /** Returns the start of the attempt by the platform's clock, which may have become known since. */
  attemptedAtMs({ attemptedAtMs, attemptedMonotonicMs }: AttemptTime): number {
    const { platformClock } = this.#deps.upstream;
    return attemptedMonotonicMs === undefined ? attemptedAtMs : platformClock.at(attemptedMonotonicMs);
  }

  async #holdLonger({ gapMs, gapMsMax }: StatusGap): Promise<void> {
    const { clock, db, gaps, upstream } = this.#deps;
    for (const outcome of this.#open.values()) {
      const ageMs = upstream.platformClock.now() - this.attemptedAtMs(outcome);
      outcome.holdUntilMs = holdAfterGap({ ...outcome, ageMs }, clock.now(), gapMs, gapMsMax);
    }
    // The next owner of the shard continues from these times.
    await lengthenHolds(db, [...this.#open.values()]);
    // Statuses could arrive during the write, so its duration is not a gap.
    gaps.begin();
  }

  /** Decides in sets, one after the other: thousands may be due at once, and other work needs the database too. */
  async #decideDue(): Promise<void> {
    this.#isDeciding = true;
    while (this.#due.length > 0) await this.#decideAll(this.#due.splice(0, QUESTIONS_MAX));
    this.#isDeciding = false;
  }

  async #decideAll(outcomes: UnknownOutcome[]): Promise<void> {
    const { gaps, log } = this.#deps;
    let passedOver: Set<number>;
    try {
      passedOver = await this.#look(outcomes);
    } catch (error) {
      gaps.miss();
      log.warn({ err: error }, 'unknown outcomes not decided; they stay held and are retried');
      for (const { seq } of outcomes) this.#holdOn(seq, DECIDE_AGAIN_MS);
      return;
    }
    for (const outcome of outcomes) {
      const current = this.#open.get(outcome.seq);
      if (current === undefined) continue;
      const leftMs = current.holdUntilMs - this.#deps.clock.now();
      // No hold is longer than this: the clock was set back since.
      const isLeft = leftMs > 0 && leftMs <= HOLD_TIMES.restoredMs;
      if (isLeft) this.#holdOn(outcome.seq, leftMs);
      // A replaced outcome has not been looked up yet. An attempt still in flight here reports its own end.
      else if (current !== outcome || passedOver.has(outcome.seq) || this.#deps.inFlight.has(outcome.seq))
        this.#holdOn(outcome.seq, LOOK_MS);
      else if (!gaps.hasReceiver) this.#holdOn(outcome.seq, DECIDE_AGAIN_MS);
      else void this.#decide(outcome);
    }
  }

  #holdOn(seq: number, waitMs: number): void {
    const nowMs = this.#deps.clock.monotonicMs();
    this.#deps.scheduler.endHold(nowMs, seq, { kind: 'hold', untilMs: nowMs + waitMs });
  }

  async #decide(outcome: UnknownOutcome): Promise<void> {
    const { settings, book, clock, log } = this.#deps;
    try {
      const number = book.find(outcome.numberId);
      if (number === undefined) return;
      const { unknownOutcomePolicy } = await settings.get(number.organizationId);
      if (number.released || unknownOutcomePolicy === 'fail' || outcome.unknownCount >= UNKNOWN_MAX) {
        await this.#end(outcome, UNKNOWN_OUTCOME);
        return;
      }
      log.warn({ messageId: outcome.messageId }, 'outcome still unknown after its hold; sending once more');
      const attemptedAtMs = this.attemptedAtMs(outcome);
      await this.#putBack(
        { ...outcome, attemptedAtMs },
        { kind: 'retry', dueAtMs: clock.monotonicMs(), attempt: outcome.attempt },
      );
    } catch (error) {
      log.error(
        { err: error, messageId: outcome.messageId },
        'unknown outcome not decided; it stays held and is retried',
      );
      this.#holdOn(outcome.seq, DECIDE_AGAIN_MS);
    }
  }

  /** Puts the message back into the queue and releases it once that is stored, unless a status settles it meanwhile. */
  async #putBack(outcome: PutBack, settlement: Settlement): Promise<void> {
    await this.#deps.recorder.postpone({ ...outcome, dueAtMs: null, holdUntilMs: null });
    if (this.#open.delete(outcome.seq)) this.#endHold(outcome.seq, settlement);
  }

  #endHold(seq: number, settlement: Settlement): void {
    this.#deps.scheduler.endHold(this.#deps.clock.monotonicMs(), seq, settlement);
    this.#deps.wakeup.wake();
  }

  async #end(outcome: UnknownOutcome, result: DispatchOutcome): Promise<void> {
    const { book, recorder } = this.#deps;
    const number = book.find(outcome.numberId);
    if (number === undefined || !this.#open.delete(outcome.seq)) return;
    const { organizationId } = number;
    await recorder.complete({ ...outcome, organizationId }, result);
    this.#endHold(outcome.seq, { kind: 'done' });
  }
}
