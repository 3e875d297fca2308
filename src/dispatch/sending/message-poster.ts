import type { Clock } from '../../core/time/clock.ts';
import { type Leases, shardOf } from '../../leases/index.ts';
import type { Tracing } from '../../telemetry/index.ts';
import { isTestToken, type SendOutcome, type SendRequest, type Upstream } from '../../upstream/index.ts';
import type { NumberBook } from '../numbers/number-book.ts';
import type { DispatchMetrics } from '../outcomes/dispatch-metrics.ts';
import type { Dispatch } from '../scheduler/index.ts';
import type { AttemptTime } from '../unknown-outcomes/unknown-outcome.ts';
import type { Journaled } from './journal-queries.ts';
import type { KnownToken } from './token-lookup.ts';

export interface MessagePosterDeps {
  clock: Clock;
  upstream: Pick<Upstream, 'platformClock' | 'sendMessage'>;
  leases: Pick<Leases, 'holds'>;
  book: Pick<NumberBook, 'find' | 'findGate' | 'chargeHeldUp' | 'countPost'>;
  metrics: Pick<DispatchMetrics, 'countError' | 'outcomes' | 'upstreamSeconds' | 'waitSeconds'>;
  tracing: Tracing;
}

/** Permission to send a journaled message, which ends with the lease or by itself. */
export interface Permit {
  /** Epoch of the lease under which the message was journaled. */
  epoch: number;
  /** Start of the journal's write, on the monotonic clock. */
  journaledAtMs: number;
}

/** The end of one POST. */
export interface PostedAttempt {
  outcome: SendOutcome;
  /** Epoch ms. */
  startedAtMs: number;
  began: AttemptTime;
  /** True if it was made at the built-in simulator, which says nothing about the platform. */
  isForTests: boolean;
}

/** An attempt whose reaction is known, with the token that it used. */
export type EndedAttempt = Omit<PostedAttempt, 'outcome'> & { used: KnownToken };

/**
 * A message is sent within this time after its journal was committed, or not at all: a process that was suspended for longer may have lost
 * its shard.
 */
const SEND_WITHIN_MS = 3_000;
/** A message that waits longer than this at the write gate was released by the scheduler too early. */
const GATE_PATIENCE_MS = 100;

/** Posts journaled messages to the platform. */
export class MessagePoster {
  readonly #deps: MessagePosterDeps;

  constructor(deps: MessagePosterDeps) {
    this.#deps = deps;
  }

  /** Posts the message as soon as its number's rate allows the write. Never rejects. */
  async post(dispatch: Dispatch, entry: Journaled, request: SendRequest, permit: Permit): Promise<PostedAttempt> {
    const { book, clock, upstream } = this.#deps;
    const gate = book.findGate(dispatch.numberId);
    const readyAtMs = clock.monotonicMs();
    await gate?.enter();
    const nowMs = clock.monotonicMs();
    const heldMs = nowMs - readyAtMs;
    // No message overtakes another at the gate. A message that waits this long should have stayed with the scheduler.
    if (heldMs > GATE_PATIENCE_MS) book.chargeHeldUp(dispatch.numberId, heldMs);
    const startedAtMs = clock.now();
    const { platformClock } = upstream;
    const attemptedMonotonicMs = platformClock.isKnown ? undefined : nowMs;
    const began = { attemptedAtMs: platformClock.at(nowMs), attemptedMonotonicMs };
    let isBegun = false;
    let isWritten = false;
    const outcome = await this.#exchange(dispatch, entry.traceparent, {
      ...request,
      mayWrite: () => (isBegun = this.#mayWrite(dispatch, entry, permit)),
      // Recorded at the end of the write, not at its start. Without this, a message counts as sent too early if the process was busy in
      // between.
      wrote() {
        isWritten = true;
        gate?.wrote();
      },
    });
    if (!isBegun) gate?.gaveUp();
    else if (!isWritten) gate?.wrote();
    return { outcome, startedAtMs, began, isForTests: isTestToken(request.token) };
  }

  /**
   * Checks right before the first byte leaves, since the message may have waited for a connection or the process may have been suspended.
   */
  #mayWrite({ numberId }: Dispatch, { expiresAtMs }: Journaled, { epoch, journaledAtMs }: Permit): boolean {
    const { book, clock, leases } = this.#deps;
    if (clock.monotonicMs() - journaledAtMs > SEND_WITHIN_MS) return false;
    // A withheld message is journaled again, and ends there as expired.
    if (expiresAtMs <= clock.now()) return false;
    // The number was paused, parked or released after the scheduler released the message. A number that moved to another node is unknown
    // here.
    const number = book.find(numberId);
    if (number === undefined || number.paused || number.parked !== null || number.released) return false;
    return leases.holds(shardOf(numberId), epoch);
  }

  /** Calls the platform, with metrics and a span in the trace of the accepting request. */
  async #exchange(
    { messageId, numberId, acceptedAtMs }: Dispatch,
    acceptedUnder: string | null,
    request: SendRequest,
  ): Promise<SendOutcome> {
    const { book, upstream, tracing, metrics, clock } = this.#deps;
    const work = tracing.startClient('send message', acceptedUnder ?? undefined, { 'fairway.message_id': messageId });
    const { traceparent } = work;
    const startedAtMs = clock.monotonicMs();
    const outcome = await upstream.sendMessage({ ...request, ...(traceparent !== undefined && { traceparent }) });
    if (outcome.kind !== 'unsent') book.countPost(numberId, outcome.kind === 'throttled');
    work.end(outcome.kind === 'accepted' ? undefined : outcome.kind);
    // Failures on demand must not look like failures of the platform.
    if (isTestToken(request.token)) return outcome;
    metrics.outcomes[outcome.kind].inc();
    if ('code' in outcome) metrics.countError(outcome.code);
    metrics.upstreamSeconds.observe((clock.monotonicMs() - startedAtMs) / 1000);
    if (outcome.kind === 'accepted') metrics.waitSeconds.observe((clock.now() - acceptedAtMs) / 1000);
    return outcome;
  }
}
