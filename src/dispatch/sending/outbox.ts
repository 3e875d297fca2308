import type { Logger } from 'pino';
import type { Accounts, UsedToken } from '../../accounts/index.ts';
import { AppError } from '../../core/errors.ts';
import { pause } from '../../core/run/waiting.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import { type Leases, shardOf } from '../../leases/index.ts';
import type { Tracing } from '../../telemetry/index.ts';
import type { SendRequest, Upstream } from '../../upstream/index.ts';
import type { NumberBook } from '../numbers/number-book.ts';
import { Parking } from '../numbers/parking.ts';
import type { ThrottleNews } from '../numbers/throttle-news.ts';
import { noteOf } from '../outcomes/attempt-note.ts';
import type { DispatchMetrics } from '../outcomes/dispatch-metrics.ts';
import { paceSignalOf, type Reaction, reactTo } from '../outcomes/outcome-policy.ts';
import type { ResultRecorder } from '../outcomes/result-recorder.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import type { Dispatch, Scheduler, Settlement } from '../scheduler/index.ts';
import { InFlight, type OwnAttempt } from '../unknown-outcomes/in-flight.ts';
import type { StatusGaps } from '../unknown-outcomes/status-gaps.ts';
import type { OwnJournals } from '../unknown-outcomes/unknown-outcome-queries.ts';
import type { UnknownOutcome, UnknownOutcomes } from '../unknown-outcomes/unknown-outcomes.ts';
import { type Abandonment, abandonmentOf, endOfAbandoned } from './abandonment.ts';
import type { BodyCache } from './body-cache.ts';
import { BodyRoom } from './body-room.ts';
import { journalBatch } from './journal-batch.ts';
import type { Journaled } from './journal-queries.ts';
import { postMessage } from './post-message.ts';

export interface OutboxDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  random: () => number;
  nodeId: string;
  accounts: Accounts;
  upstream: Upstream;
  scheduler: Scheduler;
  recorder: ResultRecorder;
  book: NumberBook;
  throttles: ThrottleNews;
  bodies: BodyCache;
  leases: Leases;
  unknown: UnknownOutcomes;
  gaps: StatusGaps;
  metrics: DispatchMetrics;
  tracing: Tracing;
  /** Called after every change of the scheduler's state. */
  changed: () => void;
}

/** Start of an attempt, in the form that an unknown outcome stores. */
type AttemptTime = Pick<UnknownOutcome, 'attemptedAtMs' | 'attemptedMonotonicMs'>;
/** An account's token before an attempt used it. */
type KnownToken = Omit<UsedToken, 'begunAtMs'>;

/**
 * A message is sent within this time after its journal was committed, or not at all: a process that was suspended for longer may have lost
 * its shard.
 */
const SEND_WITHIN_MS = 3_000;
const JOURNAL_RETRY_MS = 250;
/** A message that waits longer than this at the write gate was released by the scheduler too early. */
const GATE_PATIENCE_MS = 100;
/** Memory for large bodies in flight. */
const BODY_ROOM_BYTES = 64 * 1024 * 1024;
const BODY_ROOM_RETRY_MS = 500;

/**
 * Sends the messages that the scheduler released: journal, then POST, then reaction. A message is in one of these states:
 * - journaling: not sent, and not sent later unless the journal's commit is certain
 * - sending
 * - recording: the result is known here and is being written
 * - settled: only now may its recipient's next message go
 */
export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #inFlight = new InFlight();
  readonly #parking: Parking;
  readonly #room = new BodyRoom(BODY_ROOM_BYTES);
  #batchCount = 0;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
    this.#parking = new Parking(deps);
  }

  /** Returns the number of batches that this process has journaled or is about to, and their messages that are still in flight. */
  ownJournals(): OwnJournals {
    return { batches: this.#batchCount, inFlight: this.#inFlight.seqs() };
  }

  /** Returns true while an attempt at the message is in flight in this process. */
  isInFlight(seq: number): boolean {
    return this.#inFlight.has(seq);
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Resolves once the batch is journaled and its messages are in flight or put back. Never rejects. */
  async dispatch(batch: Dispatch[]): Promise<void> {
    const { clock, leases, upstream } = this.#deps;
    const held: Dispatch[] = [];
    const epochs = new Map<number, number>();
    for (const dispatch of batch) {
      const shard = shardOf(dispatch.numberId);
      const epoch = leases.epochOf(shard);
      if (epoch === undefined) this.#settle(dispatch, { kind: 'unsent' });
      else if (this.#inFlight.has(dispatch.seq)) {
        // An earlier attempt is still in flight, from before its number was closed and reopened. Without this, its end would be mistaken
        // for the end of the new one.
        this.#settle(dispatch, this.#retryIn(JOURNAL_RETRY_MS, dispatch.attempt));
      } else {
        held.push(dispatch);
        epochs.set(shard, epoch);
      }
    }
    if (held.length === 0) return;

    this.#batchCount += 1;
    const batchNumber = this.#batchCount;
    const atMs = upstream.platformClock.now();
    this.#inFlight.add(batchNumber, held, atMs);
    // Measured from before the journal's commit, so that a process suspended while it waited for the commit notices.
    const journaledAtMs = clock.monotonicMs();
    const journaled = await journalBatch({ ...this.#deps, room: this.#room }, batchNumber, held, epochs, atMs);
    if (journaled === undefined) {
      for (const dispatch of held) this.#end(dispatch, { kind: 'unsent' });
      await pause(clock, JOURNAL_RETRY_MS);
      return;
    }
    const paused = new Set<number>();
    for (const dispatch of held) {
      const entry = journaled.get(dispatch.messageId);
      if (entry?.attemptedAtMs != null) this.#inFlight.noteFormer(dispatch.seq, entry.attemptedAtMs);
      // Already settled by another process.
      if (entry === undefined) this.#end(dispatch, { kind: 'done' });
      else if (entry.paused) {
        paused.add(dispatch.numberId);
        this.#end(dispatch, this.#retryIn(JOURNAL_RETRY_MS, entry.attempt));
      } else {
        const epoch = epochs.get(shardOf(dispatch.numberId)) ?? 0;
        void this.#send(dispatch, entry, () => this.#mayWrite(dispatch, entry, epoch, journaledAtMs));
      }
    }
    if (paused.size > 0) void this.#learnOfPause(paused);
  }

  /**
   * Refreshes numbers that the journal found paused, so that the scheduler stops releasing their messages: the change feed may report the
   * pause late.
   */
  async #learnOfPause(numberIds: ReadonlySet<number>): Promise<void> {
    const { book, log } = this.#deps;
    await book
      .refresh(({ numberId }) => numberIds.has(numberId))
      .catch((error) => log.warn({ err: error }, 'paused numbers not read; each of their messages is checked again'));
  }

  /**
   * Ends a waiting message that will not be sent any more. Returns false if it may have been sent, or if it belongs to another node now.
   */
  async abandon(row: QueueRow, why: Abandonment): Promise<boolean> {
    const { book, changed, clock, leases, recorder, scheduler, unknown } = this.#deps;
    const number = book.find(row.numberId);
    const told = await unknown.findTold(row, row.attemptedAtMs);
    // Since the row was read, the message may be in flight or held here. If the lease expired, another node may have sent it.
    const mayBeSent = this.#inFlight.has(row.seq) || scheduler.isHeld(row.seq) || !leases.isCurrent();
    if (number === undefined || mayBeSent || told === 'unanswered') return false;
    const { organizationId } = number;
    await recorder.complete({ ...row, organizationId }, told ?? endOfAbandoned(why, row.unknownCount));
    scheduler.forget(clock.monotonicMs(), row);
    changed();
    return true;
  }

  /** Resolves when no message of these shards is in flight. */
  drained(shards: ReadonlySet<number>): Promise<void> {
    return this.#inFlight.emptied(shards);
  }

  isBusy(shard: number): boolean {
    return this.#inFlight.isBusy(shard);
  }

  /**
   * Checks right before the first byte leaves, since the message may have waited for a connection or the process may have been suspended.
   */
  #mayWrite(dispatch: Dispatch, { expiresAtMs }: Journaled, epoch: number, journaledAtMs: number): boolean {
    const { book, clock, leases } = this.#deps;
    if (clock.monotonicMs() - journaledAtMs > SEND_WITHIN_MS) return false;
    // A withheld message is journaled again, and ends there as expired.
    if (expiresAtMs <= clock.now()) return false;
    // The number was paused, parked or released after the scheduler released the message. A number that moved to another node is unknown
    // here.
    const number = book.find(dispatch.numberId);
    if (number === undefined || number.paused || number.parked !== null || number.released) return false;
    return leases.holds(shardOf(dispatch.numberId), epoch);
  }

  async #send(dispatch: Dispatch, entry: Journaled, mayWrite: () => boolean): Promise<void> {
    const { book, clock, gaps, random, recorder, unknown, upstream } = this.#deps;
    const why = abandonmentOf(entry, clock.now());
    const told = await unknown.findTold(dispatch, entry.attemptedAtMs);
    if (told === 'unanswered') {
      this.#end(dispatch, this.#retryIn(JOURNAL_RETRY_MS, entry.attempt));
      return;
    }
    const end = told ?? (why && endOfAbandoned(why, entry.unknownCount));
    if (end !== undefined) {
      await recorder.complete(dispatch, end);
      this.#end(dispatch, { kind: 'dropped' });
      return;
    }
    const body = this.#deps.bodies.take(dispatch.messageId) ?? entry.body;
    using place = body === null ? undefined : this.#room.take(dispatch.organizationId, body);
    if (body === null || place === undefined) {
      this.#end(dispatch, this.#retryIn(BODY_ROOM_RETRY_MS, entry.attempt));
      return;
    }
    const request = await this.#requestOf(dispatch, body);
    if (request === undefined) {
      this.#end(dispatch, { kind: 'unsent' });
      return;
    }
    const { outcome, startedAtMs, began } = await this.#post(dispatch, entry, request, mayWrite);
    const signal = paceSignalOf(outcome);
    if (signal !== undefined) book.notePace(dispatch.numberId, signal);
    // A request without an answer may have reached the platform, so it proves neither.
    if (outcome.kind !== 'unknown' && !(outcome.kind === 'unsent' && outcome.reason === 'withheld'))
      gaps.notePlatform(outcome.kind !== 'unsent');
    const { attemptedAtMs } = entry;
    const isUntold = attemptedAtMs !== null && gaps.isPlatformAway;
    const unknownForMs = isUntold ? upstream.platformClock.now() - attemptedAtMs : undefined;
    const facts = { flowId: dispatch.flowId, attempt: entry.attempt, random: random(), unknownForMs };
    const reaction = reactTo(outcome, facts, this.#parking.strikesOf(dispatch));
    const note = noteOf(dispatch, startedAtMs, clock.now(), outcome, reaction);
    if (note !== undefined) recorder.note(note);
    await this.#carryOut(dispatch, entry, reaction, { used: request.used, began, startedAtMs });
    this.#deps.changed();
  }

  /** Posts the message as soon as its number's rate allows the write. */
  async #post(dispatch: Dispatch, entry: Journaled, request: SendRequest, mayWrite: () => boolean) {
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
    const outcome = await postMessage(this.#deps, dispatch, entry.traceparent, {
      ...request,
      mayWrite: () => (isBegun = mayWrite()),
      // Recorded at the end of the write, not at its start. Without this, a message counts as sent too early if the process was busy in
      // between.
      wrote() {
        isWritten = true;
        gate?.wrote();
      },
    });
    if (!isBegun) gate?.gaveUp();
    else if (!isWritten) gate?.wrote();
    return { outcome, startedAtMs, began };
  }

  /** Returns the request and its token; undefined if the number moved to another node or its token cannot be read now. */
  async #requestOf(dispatch: Dispatch, body: string) {
    const { accounts, book, log } = this.#deps;
    const number = book.find(dispatch.numberId);
    if (number === undefined) return undefined;
    try {
      const { token, version, readAt } = await accounts.tokenOf(number.organizationId, number.wabaId);
      return { phoneNumberId: number.phoneNumberId, token, body, used: { wabaId: number.wabaId, version, readAt } };
    } catch (error) {
      // The account was disconnected a moment ago. Its waiting messages end as soon as this process hears of it.
      const isGone = error instanceof AppError && error.code === 'NOT_FOUND';
      if (!isGone)
        log.error({ err: error, wabaId: number.wabaId }, 'token not read; the account is parked and its messages wait');
      // The error of a token that no key can open says how to fix it.
      const reason = error instanceof AppError ? error.message : 'token not readable';
      this.#parking.park(dispatch, number.wabaId, { scope: 'waba', waitMs: 1_000, reason });
      return undefined;
    }
  }

  async #carryOut(
    dispatch: Dispatch,
    entry: Journaled,
    reaction: Reaction,
    { used, began, startedAtMs }: { used: KnownToken; began: AttemptTime; startedAtMs: number },
  ): Promise<void> {
    switch (reaction.kind) {
      case 'sent':
      case 'failed':
        this.#parking.clearStrikes(dispatch);
        await this.#deps.recorder.complete(dispatch, reaction, startedAtMs);
        this.#end(dispatch, { kind: 'done' });
        return;
      case 'again':
        await this.#goAgain(dispatch, entry, reaction, used);
        return;
      // A credential or account problem is the tenant's, not the message's: the message and its whole scope wait until the tenant acts.
      case 'stop':
        this.#parking.stop(dispatch, used.wabaId, reaction);
        this.#end(dispatch, this.#retryIn(0, entry.attempt));
        await this.#parking.noteStop(dispatch, reaction, { ...used, begunAtMs: this.#attemptedAtMs(began) });
        return;
      case 'hold':
        await this.#hold(dispatch, entry.attempt, reaction.waitMs, { ...began, unknownCount: entry.unknownCount + 1 });
        return;
      case 'holdOn':
        await this.#holdOn(dispatch, entry, reaction, used);
        return;
    }
  }

  async #goAgain(
    dispatch: Dispatch,
    entry: Journaled,
    reaction: Extract<Reaction, { kind: 'again' }>,
    { wabaId }: KnownToken,
  ): Promise<void> {
    const { clock, recorder } = this.#deps;
    const attempt = entry.attempt + (reaction.counted ? 1 : 0);
    if (reaction.counted) {
      await recorder.postpone({
        ...dispatch,
        attempt,
        unknownCount: entry.unknownCount,
        dueAtMs: clock.now() + reaction.waitMs,
        holdUntilMs: null,
        attemptedAtMs: entry.attemptedAtMs,
      });
    }
    if (reaction.park !== undefined) this.#parking.park(dispatch, wabaId, reaction.park);
    this.#end(dispatch, this.#retryIn(reaction.waitMs, attempt, reaction.refundPair));
  }

  async #holdOn(
    dispatch: Dispatch,
    { attempt, unknownCount, attemptedAtMs }: Journaled,
    { waitMs, park }: Extract<Reaction, { kind: 'holdOn' }>,
    { wabaId }: KnownToken,
  ): Promise<void> {
    this.#parking.park(dispatch, wabaId, park);
    if (this.#deps.scheduler.isHeld(dispatch.seq)) {
      // The shard was lost and regained, so the message is held for this attempt, which never reached the platform. It goes back into the
      // queue.
      this.#end(dispatch, this.#retryIn(0, attempt));
      return;
    }
    const before = { attemptedAtMs: attemptedAtMs as number, attemptedMonotonicMs: undefined, unknownCount };
    await this.#hold(dispatch, attempt, waitMs, before);
  }

  #retryIn(waitMs: number, attempt: number, refundPair = true): Settlement {
    return { kind: 'retry', dueAtMs: this.#deps.clock.monotonicMs() + waitMs, attempt, refundPair };
  }

  async #hold(
    dispatch: Dispatch,
    attempt: number,
    waitMs: number,
    { unknownCount, ...began }: AttemptTime & Pick<UnknownOutcome, 'unknownCount'>,
  ): Promise<void> {
    const { clock, recorder, unknown } = this.#deps;
    const untilMs = clock.now() + waitMs;
    const attemptedAtMs = this.#attemptedAtMs(began);
    const held = { ...dispatch, attempt, unknownCount, attemptedAtMs, holdUntilMs: untilMs };
    await recorder.postpone({ ...held, dueAtMs: null });
    unknown.add({ ...held, attemptedMonotonicMs: began.attemptedMonotonicMs });
    this.#end(dispatch, { kind: 'hold', untilMs: clock.monotonicMs() + waitMs });
  }

  /** Returns the start of an attempt by the platform's clock, which may have become known since. */
  #attemptedAtMs({ attemptedAtMs, attemptedMonotonicMs }: AttemptTime): number {
    const { platformClock } = this.#deps.upstream;
    return attemptedMonotonicMs === undefined ? attemptedAtMs : platformClock.at(attemptedMonotonicMs);
  }

  /** Removes a message from the messages in flight. Its journal row is deleted once all messages of its batch have ended. */
  #end(dispatch: Dispatch, settlement: Settlement): void {
    const attempt = this.#inFlight.attemptAt(dispatch.seq);
    const finished = this.#inFlight.remove(dispatch.seq);
    if (finished !== undefined) this.#deps.recorder.finishJournal(finished);
    this.#settle(dispatch, settlement, attempt);
    this.#deps.changed();
  }

  #settle(dispatch: Dispatch, settlement: Settlement, attempt?: OwnAttempt): void {
    const { scheduler, unknown, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (scheduler.settle(nowMs, dispatch.seq, settlement)) return;
    // The shard may have been lost and regained since. Then the message was adopted as an unknown outcome, which it no longer is. Or it
    // waits, because its journal row was not visible when the shard was read.
    if (settlement.kind === 'hold') scheduler.hold(nowMs, dispatch, settlement.untilMs);
    else unknown.endHere(dispatch.seq, settlement, attempt);
  }
}
