import type { Clock } from '../../core/time/clock.ts';
import type { DispatchOutcome } from '../outcomes/dispatch-outcome.ts';
import type { Roads } from '../roads/roads.ts';
import type { Dispatch } from '../scheduler/index.ts';
import { UNKNOWN_OUTCOME } from '../unknown-outcomes/unknown-outcome.ts';
import type { UnknownOutcomes } from '../unknown-outcomes/unknown-outcomes.ts';
import { abandonmentOf, endOfAbandoned } from './abandonment.ts';
import type { Bodies } from './bodies.ts';
import type { Journaled } from './journal-queries.ts';
import type { MessagePoster, Permit } from './message-poster.ts';
import type { OutcomeJudge } from './outcome-judge.ts';
import { RETRY_MS, type Settler } from './settle.ts';
import type { TokenLookup } from './token-lookup.ts';

export interface SenderDeps {
  clock: Clock;
  unknown: Pick<UnknownOutcomes, 'findReported'>;
  bodies: Pick<Bodies, 'take'>;
  tokens: Pick<TokenLookup, 'find'>;
  roads: Pick<Roads, 'choose' | 'turn'>;
  poster: Pick<MessagePoster, 'post'>;
  judge: Pick<OutcomeJudge, 'judge'>;
  settler: Pick<Settler, 'drop' | 'end' | 'retryIn' | 'settle'>;
}

const BODY_RETRY_MS = 500;

/** Sends one journaled message: check, body, token, road, POST, reaction. */
export class Sender {
  readonly #deps: SenderDeps;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  /** Resolves when the attempt has ended and its result is recorded. Never rejects. */
  async send(dispatch: Dispatch, entry: Journaled, permit: Permit): Promise<void> {
    const { bodies, judge, poster, roads, settler, tokens } = this.#deps;
    const end = await this.#endBefore(dispatch, entry);
    if (end === 'unanswered') {
      settler.end(dispatch, settler.retryIn(RETRY_MS, entry.attempt));
      return;
    }
    if (end !== undefined) {
      await settler.drop(dispatch, end);
      return;
    }
    using taken = bodies.take(dispatch, entry.body);
    if (taken === undefined) {
      settler.end(dispatch, settler.retryIn(BODY_RETRY_MS, entry.attempt));
      return;
    }
    const sending = await tokens.find(dispatch);
    if (sending === undefined) {
      settler.end(dispatch, { kind: 'unsent' });
      return;
    }
    const { phoneNumberId, token, used } = sending;
    const { body } = taken;
    const choosing = roads.choose(dispatch, entry, body);
    const road = choosing instanceof Promise ? await choosing : choosing;
    if (road === 'uncertain') {
      await settler.drop(dispatch, UNKNOWN_OUTCOME);
      return;
    }
    if (road === 'unanswered') {
      settler.end(dispatch, settler.retryIn(RETRY_MS, entry.attempt));
      return;
    }
    const posted = await poster.post(dispatch, entry, { phoneNumberId, road, token, body }, permit);
    const reaction = judge.judge(dispatch, entry, posted);
    const { outcome } = posted;
    const turned = reaction.kind === 'failed' ? await roads.turn(dispatch, entry, body, { road, outcome }) : undefined;
    await settler.settle(dispatch, entry, turned ?? reaction, { ...posted, used });
  }

  /**
   * Returns the end of a message that is not sent any more: a status has arrived for its previous attempt, or it is cancelled, disconnected
   * or expired. Returns `unanswered` if statuses cannot be looked up now.
   */
  async #endBefore(dispatch: Dispatch, entry: Journaled): Promise<DispatchOutcome | 'unanswered' | undefined> {
    const why = abandonmentOf(entry, this.#deps.clock.now());
    const reported = await this.#deps.unknown.findReported(dispatch, entry.attemptedAtMs);
    return reported ?? (why && endOfAbandoned(why, entry.unknownCount));
  }
}
