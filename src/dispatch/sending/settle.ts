import type { Wakeup } from '../../core/run/wakeup.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { ReportedNames } from '../../upstream/index.ts';
import type { Parking } from '../numbers/parking.ts';
import type { DispatchOutcome } from '../outcomes/dispatch-outcome.ts';
import type { Reaction } from '../outcomes/outcome-policy.ts';
import type { ResultRecorder } from '../outcomes/result-recorder.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import type { Dispatch, Scheduler, Settlement } from '../scheduler/index.ts';
import type { InFlight, OwnAttempt } from '../unknown-outcomes/in-flight.ts';
import type { AttemptTime, UnknownOutcome } from '../unknown-outcomes/unknown-outcome.ts';
import type { UnknownOutcomes } from '../unknown-outcomes/unknown-outcomes.ts';
import type { Journaled } from './journal-queries.ts';
import type { EndedAttempt } from './message-poster.ts';
import type { KnownToken } from './token-lookup.ts';

export interface SettlerDeps {
  clock: Clock;
  inFlight: InFlight;
  parking: Pick<Parking, 'clearStrikes' | 'noteStop' | 'park' | 'stop'>;
  recorder: Pick<ResultRecorder, 'complete' | 'finishJournal' | 'postpone'>;
  scheduler: Pick<Scheduler, 'forget' | 'hold' | 'isHeld' | 'settle'>;
  unknown: Pick<UnknownOutcomes, 'add' | 'attemptedAtMs' | 'endHere'>;
  wakeup: Pick<Wakeup, 'wake'>;
  /** Takes in several names of one recipient; never fails. */
  learnNames: (names: RecipientNames) => void;
}

/** Names of one person in the platform's answer to a send. */
export interface RecipientNames extends ReportedNames {
  organizationId: string;
  wabaId: string;
}

/** Wait of a message that could not be tried for a reason that soon passes. */
export const RETRY_MS = 250;

/** Settles messages: carries out the reaction to an attempt, records the result, and then ends the attempt in the scheduler. */
export class Settler {
  readonly #deps: SettlerDeps;

  constructor(deps: SettlerDeps) {
    this.#deps = deps;
  }

  /** Carries out the reaction to an attempt. Resolves when it is recorded. */
  async settle(dispatch: Dispatch, entry: Journaled, reaction: Reaction, attempt: EndedAttempt): Promise<void> {
    const { parking, recorder, unknown, wakeup } = this.#deps;
    const { used, began, startedAtMs } = attempt;
    switch (reaction.kind) {
      case 'sent':
      case 'failed':
        parking.clearStrikes(dispatch);
        await recorder.complete(dispatch, reaction, startedAtMs);
        if (reaction.kind === 'sent' && reaction.names !== undefined) {
          this.#deps.learnNames({ organizationId: dispatch.organizationId, wabaId: used.wabaId, ...reaction.names });
        }
        this.end(dispatch, { kind: 'done' });
        break;
      case 'again':
        await this.#goAgain(dispatch, entry, reaction, used);
        break;
      // A credential or account problem is the tenant's, not the message's: the message and its whole scope wait until the tenant acts.
      case 'stop':
        parking.stop(dispatch, used.wabaId, reaction);
        this.end(dispatch, this.retryIn(0, entry.attempt));
        await parking.noteStop(dispatch, reaction, { ...used, begunAtMs: unknown.attemptedAtMs(began) });
        break;
      case 'hold':
        await this.#hold(dispatch, entry.attempt, reaction.waitMs, { ...began, unknownCount: entry.unknownCount + 1 });
        break;
      case 'holdOn':
        await this.#holdOn(dispatch, entry, reaction, used);
    }
    wakeup.wake();
  }

  async #goAgain(
    dispatch: Dispatch,
    { attempt: before, attemptedAtMs, unknownCount }: Journaled,
    { counted, park, refundPair, waitMs }: Extract<Reaction, { kind: 'again' }>,
    { wabaId }: KnownToken,
  ): Promise<void> {
    const { clock, parking, recorder } = this.#deps;
    const attempt = before + (counted ? 1 : 0);
    if (counted) {
      const dueAtMs = clock.now() + waitMs;
      await recorder.postpone({ ...dispatch, attempt, unknownCount, dueAtMs, holdUntilMs: null, attemptedAtMs });
    }
    if (park !== undefined) parking.park(dispatch, wabaId, park);
    this.end(dispatch, this.retryIn(waitMs, attempt, refundPair));
  }

  async #holdOn(
    dispatch: Dispatch,
    { attempt, unknownCount, attemptedAtMs }: Journaled,
    { waitMs, park }: Extract<Reaction, { kind: 'holdOn' }>,
    { wabaId }: KnownToken,
  ): Promise<void> {
    this.#deps.parking.park(dispatch, wabaId, park);
    if (this.#deps.scheduler.isHeld(dispatch.seq)) {
      // The shard was lost and regained: the message is held for this attempt, which never left. It goes back into the queue.
      this.end(dispatch, this.retryIn(0, attempt));
      return;
    }
    await this.#hold(dispatch, attempt, waitMs, { attemptedAtMs: attemptedAtMs as number, unknownCount });
  }

  async #hold(
    dispatch: Dispatch,
    attempt: number,
    waitMs: number,
    { unknownCount, ...began }: AttemptTime & Pick<UnknownOutcome, 'unknownCount'>,
  ): Promise<void> {
    const { clock, recorder, unknown } = this.#deps;
    const untilMs = clock.now() + waitMs;
    const attemptedAtMs = unknown.attemptedAtMs(began);
    const held = { ...dispatch, attempt, unknownCount, attemptedAtMs, holdUntilMs: untilMs };
    await recorder.postpone({ ...held, dueAtMs: null });
    unknown.add({ ...held, attemptedMonotonicMs: began.attemptedMonotonicMs });
    this.end(dispatch, { kind: 'hold', untilMs: clock.monotonicMs() + waitMs });
  }

  /** Returns the settlement of a message that goes again after `waitMs`. */
  retryIn(waitMs: number, attempt: number, refundPair = true): Settlement {
    return { kind: 'retry', dueAtMs: this.#deps.clock.monotonicMs() + waitMs, attempt, refundPair };
  }

  /** Records the end of a journaled message that is not sent, then ends it. */
  async drop(dispatch: Dispatch, outcome: DispatchOutcome): Promise<void> {
    await this.#deps.recorder.complete(dispatch, outcome);
    this.end(dispatch, { kind: 'dropped' });
  }

  /** Records the end of a message that waits, then lets its recipient's next message go. */
  async dropWaiting(row: QueueRow, organizationId: string, outcome: DispatchOutcome): Promise<void> {
    const { clock, recorder, scheduler, wakeup } = this.#deps;
    await recorder.complete({ ...row, organizationId }, outcome);
    scheduler.forget(clock.monotonicMs(), row);
    wakeup.wake();
  }

  /** Removes a message from the messages in flight. Its journal row is deleted once all messages of its batch have ended. */
  end(dispatch: Dispatch, settlement: Settlement): void {
    const { inFlight, recorder, wakeup } = this.#deps;
    const attempt = inFlight.attemptAt(dispatch.seq);
    const finished = inFlight.remove(dispatch.seq);
    if (finished !== undefined) recorder.finishJournal(finished);
    this.turnBack(dispatch, settlement, attempt);
    wakeup.wake();
  }

  /** Ends a dispatch in the scheduler; `attempt` is absent if this dispatch was not journaled. */
  turnBack(dispatch: Dispatch, settlement: Settlement, attempt?: OwnAttempt): void {
    const { scheduler, unknown, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (scheduler.settle(nowMs, dispatch.seq, settlement)) return;
    // The shard may have been lost and regained since. Then the message was adopted as an unknown outcome, which it no longer is. Or it
    // waits, because its journal row was not visible when the shard was read.
    if (settlement.kind === 'hold') scheduler.hold(nowMs, dispatch, settlement.untilMs);
    else unknown.endHere(dispatch.seq, settlement, attempt);
  }
}
