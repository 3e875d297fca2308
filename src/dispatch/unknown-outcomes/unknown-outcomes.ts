import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import type { OrganizationSettings } from '../../organizations/index.ts';
import type { Upstream } from '../../upstream/index.ts';
import type { NumberBook } from '../numbers/number-book.ts';
import type { DispatchOutcome } from '../outcomes/dispatch-outcome.ts';
import { HOLD_TIMES, holdAfterGap } from '../outcomes/outcome-policy.ts';
import type { Postponement } from '../outcomes/result-queries.ts';
import type { ResultRecorder } from '../outcomes/result-recorder.ts';
import type { QueueKey, QueueRow } from '../queue/queue-row.ts';
import type { Scheduler, Settlement } from '../scheduler/index.ts';
import type { OwnAttempt } from './in-flight.ts';
import type { StatusGap, StatusGaps } from './status-gaps.ts';
import { findSettlingStatuses, lengthenHolds, listGone } from './unknown-outcome-queries.ts';

/** A message that may or may not have been sent. Times are epoch milliseconds. */
export interface UnknownOutcome extends QueueKey, Pick<QueueRow, 'contact' | 'attempt' | 'unknownCount'> {
  /** Start of the attempt whose outcome is unknown, by the platform's clock as it was known then. */
  attemptedAtMs: number;
  /**
   * The same by this process's monotonic clock, when the attempt was its own and the platform's clock was not known yet. Where it was,
   * what is learned later says nothing of then: the monotonic clock may have stood still in between, with the machine.
   */
  attemptedMonotonicMs?: number | undefined;
  holdUntilMs: number;
}

/** What goes back into the queue: without the attempt where it has turned out that the upstream does not have the message. */
type PutBack = Omit<UnknownOutcome, 'attemptedAtMs'> & Pick<Postponement, 'attemptedAtMs' | 'undoneAtMs'>;

/** How an attempt of this process ended that is known not to be of unknown outcome. */
interface EndedHere {
  settlement: Exclude<Settlement, { kind: 'hold' }>;
  /** Undefined where there was none yet. */
  attempt: OwnAttempt | undefined;
}

export interface UnknownOutcomesDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  settings: OrganizationSettings;
  upstream: Pick<Upstream, 'platformClock'>;
  scheduler: Scheduler;
  recorder: ResultRecorder;
  book: NumberBook;
  /** Whether an attempt at a message is still under way in this process, which will hear of its end. */
  isInFlight: (seq: number) => boolean;
  gaps: StatusGaps;
  changed: () => void;
}

const LOOK_MS = 250;
const QUESTIONS_MAX = 500;
/**
 * The upstream stamps whole seconds, and its clock is not known exactly. An earlier attempt's status is older than this: between two
 * attempts lies a hold.
 */
const CLOCK_SLACK_MS = 5_000;
/** The platform takes and delivers what it was sent within this, however late it tells. */
const STAMPED_WITHIN_MS = 300_000;
const UNKNOWN_MAX = 2;
const DECIDE_AGAIN_MS = 5_000;
/** How a message ends of which nobody can say whether it was sent. */
export const UNKNOWN_OUTCOME = {
  kind: 'failed',
  errorCode: 'UNKNOWN_OUTCOME',
  errorMessage: 'It is not known whether the upstream platform took the message.',
} as const;

/**
 * Settles unknown outcomes. While one is open its recipient gets nothing else, so a status for the same number and person whose
 * wamid nobody knows can only speak of it. `held` → a status settles it: sent. Or its time passes: resent once, if the
 * organization's policy allows and still has the number, else failed as UNKNOWN_OUTCOME; a second unknown outcome always fails.
 *
 * A hold's time counts only while statuses can come in. A gap makes it longer by the gap; afterwards at least as much is left of it as has
 * passed since the attempt, for the upstream repeats what was not taken with pauses that grow like that. Nothing is decided without a look
 * that found nothing.
 */
export class UnknownOutcomes {
  readonly #deps: UnknownOutcomesDeps;
  readonly #open = new Map<number, UnknownOutcome>();
  /** Those whose time has passed and that are not decided on yet. */
  readonly #due: UnknownOutcome[] = [];
  #isDeciding = false;
  #cancelLook: (() => void) | undefined;
  #stopped = false;
  /** Queues being taken over, and what has ended here meanwhile that was not open. */
  #adoptions = 0;
  readonly #endedHere = new Map<number, EndedHere>();
  /** Looks under way, and the wamids they have given to a message: each settles one, however many wait for the same person. */
  #looks = 0;
  readonly #given = new Set<string>();

  constructor(deps: UnknownOutcomesDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Takes in an unknown outcome, unless its message has had a further one since, with another node. */
  add(outcome: UnknownOutcome): void {
    if ((this.#open.get(outcome.seq)?.unknownCount ?? 0) > outcome.unknownCount) return;
    if (this.#open.size === 0) this.#deps.gaps.begin();
    this.#open.set(outcome.seq, outcome);
    this.#lookLater();
  }

  /** Takes over what a predecessor left open. */
  adopt(rows: readonly QueueRow[]): void {
    for (const row of rows) {
      this.add(unknownOutcomeOf(row));
      const ended = this.#endedHere.get(row.seq);
      if (ended !== undefined) this.endHere(row.seq, ended.settlement, ended.attempt);
    }
  }

  /** Has what ends here until the returned function is called counted for what is adopted by then: that is read from the database meanwhile. */
  beginAdoption(): () => void {
    this.#adoptions += 1;
    return () => {
      this.#adoptions -= 1;
      if (this.#adoptions === 0) this.#endedHere.clear();
    };
  }

  /**
   * Ends what was adopted although it was still in flight in this very process, and whose end is known now: `done` is recorded
   * already, anything else means that the upstream does not have it, and counts for no unknown outcome. What is held for another
   * attempt than the one journaled here stays held: another node made that one meanwhile.
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
    } else if (this.#open.delete(seq)) this.#release(seq, settlement);
  }

  /**
   * How a message ends that was to be sent again, if a status has told by now of the attempt it had at `attemptedAtMs` by the platform's
   * clock, null for none: its number may have been stopped for long. Only one stamped soon after the attempt counts: in so much time
   * others may have written to the person from the same number. Never rejects: `unanswered` where it cannot be looked up now.
   */
  async findTold(
    { seq, numberId, messageId, contact }: Pick<QueueRow, 'seq' | 'numberId' | 'messageId' | 'contact'>,
    attemptedAtMs: number | null,
  ): Promise<DispatchOutcome | 'unanswered' | undefined> {
    const { db, book, log } = this.#deps;
    const number = book.find(numberId);
    if (attemptedAtMs === null || number === undefined) return undefined;
    const { organizationId, phoneNumberId } = number;
    const sinceMs = attemptedAtMs - CLOCK_SLACK_MS;
    try {
      const [told] = await findSettlingStatuses(db, [
        { organizationId, messageId, seq, numberId, phoneNumberId, contact, sinceMs },
      ]);
      const isSoon = told !== undefined && told.at.getTime() <= attemptedAtMs + STAMPED_WITHIN_MS;
      return isSoon ? sentAsTold(told) : undefined;
    } catch (error) {
      log.warn({ err: error }, 'statuses not looked up before a message is sent again, which waits for them');
      return 'unanswered';
    }
  }

  /** Decides on those whose time has passed. */
  expire(): void {
    for (const { seq } of this.#deps.scheduler.expiredHolds(this.#deps.clock.monotonicMs())) {
      const outcome = this.#open.get(seq);
      if (outcome !== undefined) this.#due.push(outcome);
      // About to be adopted, or ended just now; a hold is told as expired but once.
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
          this.#deps.log.warn({ err: error }, 'unknown outcomes not looked up');
        })
        .finally(() => {
          this.#cancelLook = undefined;
          this.#lookLater();
        });
    });
  }

  /** Those not looked at for the longest time. */
  #nextOutcomes(): UnknownOutcome[] {
    const outcomes = [...this.#open.values()].slice(0, QUESTIONS_MAX);
    for (const outcome of outcomes) {
      this.#open.delete(outcome.seq);
      this.#open.set(outcome.seq, outcome);
    }
    return outcomes;
  }

  /**
   * One look at what may settle these outcomes: a status, or another node that had one in flight. Answers, by seq, those whose status
   * another message has had: there may be a further one, for the next look.
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
      return [{ ...outcome, organizationId, phoneNumberId, sinceMs: this.#attemptedAtMs(outcome) - CLOCK_SLACK_MS }];
    });
    const passedOver = new Set<number>();
    if (questions.length === 0) return passedOver;
    const settled = await findSettlingStatuses(db, questions);
    const gone = await listGone(db, questions);
    const gap = await this.#deps.gaps.endWithLook();
    if (gap !== undefined) await this.#holdLonger(gap);
    for (const seq of gone) if (this.#open.delete(seq)) this.#release(seq, { kind: 'done' });
    // Together, so that they share commits: a look that takes long is a gap for all the others.
    await Promise.all(
      settled.map(async (told) => {
        const outcome = this.#open.get(told.seq);
        if (outcome === undefined) return;
        if (this.#given.has(told.wamid)) {
          passedOver.add(told.seq);
          return;
        }
        this.#given.add(told.wamid);
        await this.#end(outcome, sentAsTold(told));
      }),
    );
    return passedOver;
  }

  /** When the attempt began by the platform's clock: it may have become known since. */
  #attemptedAtMs({ attemptedAtMs, attemptedMonotonicMs }: UnknownOutcome): number {
    const { platformClock } = this.#deps.upstream;
    return attemptedMonotonicMs === undefined ? attemptedAtMs : platformClock.at(attemptedMonotonicMs);
  }

  async #holdLonger({ gapMs, gapMsMax }: StatusGap): Promise<void> {
    const { clock, db, gaps, upstream } = this.#deps;
    for (const outcome of this.#open.values()) {
      const ageMs = upstream.platformClock.now() - this.#attemptedAtMs(outcome);
      outcome.holdUntilMs = holdAfterGap({ ...outcome, ageMs }, clock.now(), gapMs, gapMsMax);
    }
    // Whoever has the shard next goes on from there.
    await lengthenHolds(db, [...this.#open.values()]);
    // However long there was to write: meanwhile statuses could come in.
    gaps.begin();
  }

  /** One look after the other: thousands may be due at once, and others need the database too. */
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
      log.warn({ err: error }, 'unknown outcomes not decided yet');
      for (const { seq } of outcomes) this.#holdOn(seq, DECIDE_AGAIN_MS);
      return;
    }
    for (const outcome of outcomes) {
      const current = this.#open.get(outcome.seq);
      if (current === undefined) continue;
      const leftMs = current.holdUntilMs - this.#deps.clock.now();
      // No hold is longer than that: the clock was set back since.
      const isLeft = leftMs > 0 && leftMs <= HOLD_TIMES.restoredMs;
      if (isLeft) this.#holdOn(outcome.seq, leftMs);
      // For one that has taken its place meanwhile nobody has looked; one whose attempt is under way here is told of by its end.
      else if (current !== outcome || passedOver.has(outcome.seq) || this.#deps.isInFlight(outcome.seq))
        this.#holdOn(outcome.seq, LOOK_MS);
      else if (gaps.isUntold) this.#holdOn(outcome.seq, DECIDE_AGAIN_MS);
      else void this.#decide(outcome);
    }
  }

  #holdOn(seq: number, waitMs: number): void {
    const nowMs = this.#deps.clock.monotonicMs();
    this.#deps.scheduler.release(nowMs, seq, { kind: 'hold', untilMs: nowMs + waitMs });
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
      const attemptedAtMs = this.#attemptedAtMs(outcome);
      await this.#putBack(
        { ...outcome, attemptedAtMs },
        { kind: 'retry', dueAtMs: clock.monotonicMs(), attempt: outcome.attempt },
      );
    } catch (error) {
      log.error({ err: error, messageId: outcome.messageId }, 'unknown outcome not decided yet');
      this.#holdOn(outcome.seq, DECIDE_AGAIN_MS);
    }
  }

  /** Has the message sent again, once that is written down and unless a status settles it meanwhile. */
  async #putBack(outcome: PutBack, settlement: Settlement): Promise<void> {
    await this.#deps.recorder.postpone({ ...outcome, dueAtMs: null, holdUntilMs: null });
    if (this.#open.delete(outcome.seq)) this.#release(outcome.seq, settlement);
  }

  #release(seq: number, settlement: Settlement): void {
    this.#deps.scheduler.release(this.#deps.clock.monotonicMs(), seq, settlement);
    this.#deps.changed();
  }

  async #end(outcome: UnknownOutcome, result: DispatchOutcome): Promise<void> {
    const { book, recorder } = this.#deps;
    const number = book.find(outcome.numberId);
    if (number === undefined || !this.#open.delete(outcome.seq)) return;
    const { organizationId } = number;
    await recorder.complete({ ...outcome, organizationId }, result);
    this.#release(outcome.seq, { kind: 'done' });
  }
}

/** It was sent by the moment that is told of, however late that is heard: no message arrives before it was sent. */
function sentAsTold({ wamid, at }: { wamid: string; at: Date }): DispatchOutcome {
  return { kind: 'sent', wamid, toldAtMs: at.getTime() };
}

/** What a held row of the queue says of its outcome. */
export function unknownOutcomeOf(row: QueueRow): UnknownOutcome {
  return { ...row, attemptedAtMs: row.attemptedAtMs ?? row.acceptedAtMs, holdUntilMs: row.holdUntilMs ?? 0 };
}
