import type { Clock } from '../../core/time/clock.ts';
import type { Upstream } from '../../upstream/index.ts';
import type { NumberBook } from '../numbers/number-book.ts';
import type { Parking } from '../numbers/parking.ts';
import { noteOf } from '../outcomes/attempt-note.ts';
import { paceSignalOf, type Reaction, reactTo } from '../outcomes/outcome-policy.ts';
import type { ResultRecorder } from '../outcomes/result-recorder.ts';
import type { Dispatch } from '../scheduler/index.ts';
import type { StatusGaps } from '../unknown-outcomes/status-gaps.ts';
import type { Journaled } from './journal-queries.ts';
import type { PostedAttempt } from './message-poster.ts';

export interface OutcomeJudgeDeps {
  clock: Clock;
  random: () => number;
  upstream: Pick<Upstream, 'platformClock'>;
  book: Pick<NumberBook, 'notePace'>;
  gaps: Pick<StatusGaps, 'notePlatform' | 'isPlatformAway'>;
  parking: Pick<Parking, 'strikesOf'>;
  recorder: Pick<ResultRecorder, 'note'>;
}

/** Judges outcomes of attempts: adjusts the number's pace, notes failed attempts on their messages' timelines, and picks the reaction. */
export class OutcomeJudge {
  readonly #deps: OutcomeJudgeDeps;

  constructor(deps: OutcomeJudgeDeps) {
    this.#deps = deps;
  }

  judge(dispatch: Dispatch, entry: Journaled, { outcome, startedAtMs, isForTests }: PostedAttempt): Reaction {
    const { book, clock, gaps, parking, random, recorder, upstream } = this.#deps;
    const signal = paceSignalOf(outcome);
    if (signal !== undefined) book.notePace(dispatch.numberId, signal);
    // A request without an answer may have reached the platform, so it proves neither. The built-in simulator is never out of reach.
    if (!isForTests && outcome.kind !== 'unknown' && !(outcome.kind === 'unsent' && outcome.reason === 'withheld'))
      gaps.notePlatform(outcome.kind !== 'unsent');
    const { attemptedAtMs } = entry;
    const isUnreported = attemptedAtMs !== null && !isForTests && gaps.isPlatformAway;
    const unknownForMs = isUnreported ? upstream.platformClock.now() - attemptedAtMs : undefined;
    const facts = { flowId: dispatch.flowId, attempt: entry.attempt, random: random(), unknownForMs };
    const reaction = reactTo(outcome, facts, parking.strikesOf(dispatch));
    const note = noteOf(dispatch, startedAtMs, clock.now(), outcome, reaction);
    if (note !== undefined) recorder.note(note);
    return reaction;
  }
}
