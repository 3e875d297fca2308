import { bucketLimit } from '../../core/limits/rate-limit.ts';
import { ExpectedNumbers } from './expected-numbers.ts';
import { FinishedSeqs } from './finished-seqs.ts';
import { popExpiredHolds } from './number/expired-holds.ts';
import { countTotals, explainNumber } from './number/explain-number.ts';
import { IdlePairs } from './number/idle-pairs.ts';
import { NumberAllowance } from './number/number-allowance.ts';
import { dispatchNext, dispatchOf, endHold, holdWaiting, isOver, settleFlight } from './number/number-dispatch.ts';
import { loadNumber } from './number/number-opening.ts';
import { NumberQueue } from './number/number-queue.ts';
import { offerRow } from './number/number-reads.ts';
import { listPairDebt, mergePairs, penalizePair } from './number/pair-debt.ts';
import { ReadTurns } from './number/read-turns.ts';
import { BinaryHeap } from './order/binary-heap.ts';
import { inOrder } from './order/in-order.ts';
import { ShareTree } from './order/share-tree.ts';
import { listNext } from './preview/list-next.ts';
import { DEFAULT_OPTIONS, type SchedulerOptions } from './scheduler-options.ts';
import type { SchedulerState } from './scheduler-state.ts';
import type {
  Dispatch,
  NextMessages,
  NumberExplanation,
  NumberOpening,
  PairDebt,
  Parking,
  PreviewOptions,
  QueueRow,
  ReadRequest,
  SchedulerTotals,
  Settlement,
} from './scheduler-types.ts';
import { WindowBounds } from './window-bounds.ts';

type Place = Pick<QueueRow, 'numberId' | 'contact' | 'seq'>;

/**
 * Decides which queued messages may go to the platform now, for numbers that this process owns exclusively.
 *
 * Hierarchy: organizations by weight → their eligible numbers, equally → the number's flows by weight → ready recipients in order of their
 * message's seq. Per (number, recipient) at most one message is in flight, and the first accepted is the first dispatched, across flows.
 * The scheduler does no I/O and reads no clock.
 *
 * Obligations of the owner:
 * 1. Every committed row is offered once or more, in any order, by the code that committed or discovered it. If sends depend on each
 *    other (the second was made after the first was acknowledged), the first is offered before it is acknowledged.
 * 2. A statement whose rows will be offered is enclosed in `beginOffer` … `endOffer`. Without this, a row that was read, sent and
 *    deleted before its offer arrives is sent again.
 * 3. `takeReads` is polled after calls that change the state; each request gets exactly one `answerRead`.
 *
 * Calls for a number that is not open do nothing, so that they may race with its closing.
 */
export class Scheduler {
  readonly #state: SchedulerState;
  readonly #numbers = new Map<number, NumberQueue>();
  readonly #expected: ExpectedNumbers;
  readonly #shares = new ShareTree<NumberQueue>();
  readonly #reads: ReadTurns;

  constructor(given: Partial<SchedulerOptions> = {}) {
    const options = { ...DEFAULT_OPTIONS, ...given };
    const tally = { messages: 0, readyRecipients: 0 };
    this.#state = {
      options,
      pairLimit: bucketLimit(options.pairIntervalMs, options.pairBurst),
      tally,
      bounds: new WindowBounds(options, tally),
      finished: new FinishedSeqs(),
      idlePairs: new IdlePairs(),
      inFlight: new Map(),
      held: new Map(),
      holds: new BinaryHeap(),
    };
    this.#expected = new ExpectedNumbers(this.#state.finished);
    this.#reads = new ReadTurns(this.#state);
  }

  /**
   * Notes rows offered for this number from now on, instead of refusing them. Call before reading the rows for `openNumber`. Undone by
   * `closeNumber`. Does nothing for an open number.
   */
  expectNumber(numberId: number): void {
    if (!this.#numbers.has(numberId)) this.#expected.begin(numberId);
  }

  /** Starts to schedule a number. Throws if it is open already; RangeError for a rate or weight that is not positive. */
  openNumber(nowMs: number, opening: NumberOpening): void {
    const { numberId } = opening;
    if (this.#numbers.has(numberId)) throw new Error(`number ${numberId} is open already`);
    const allowance = new NumberAllowance(opening, this.#state.options.paceToleranceMs);
    const queue = new NumberQueue(this.#state, opening, allowance);
    this.#shares.add(queue, opening.organizationWeight);
    this.#numbers.set(numberId, queue);
    loadNumber(queue, opening, this.#expected.lowestSeqsOf(numberId), nowMs);
    this.#expected.end(numberId);
    this.#refresh(queue, nowMs);
  }

  /** Forgets the number; its rows stay in the table. Settlements of its messages in flight will then return false. */
  closeNumber(numberId: number): void {
    this.#expected.end(numberId);
    const queue = this.#numbers.get(numberId);
    if (queue === undefined) return;
    this.#numbers.delete(numberId);
    this.#reads.leave(queue);
    this.#shares.remove(queue);
    queue.close();
  }

  isOpen(numberId: number): boolean {
    return this.#numbers.has(numberId);
  }

  /** Marks the start of a statement (insert or discovery read) whose rows will be offered. */
  beginOffer(): number {
    return this.#state.finished.begin();
  }

  /** Ends the scope of `beginOffer`, after the offer or when the statement failed. */
  endOffer(token: number): void {
    this.#state.finished.end(token);
  }

  /** Hands over committed rows. Returns the ids of numbers neither open nor expected; their rows were not taken. */
  offer(nowMs: number, rows: readonly QueueRow[]): number[] {
    const unknown = new Set<number>();
    const touched = new Set<NumberQueue>();
    // In order of seq, so that a window that fills up leaves the youngest rows to the table.
    for (const row of inOrder(rows)) {
      const queue = this.#numbers.get(row.numberId);
      if (queue !== undefined) {
        offerRow(queue, row, nowMs);
        touched.add(queue);
      } else if (!this.#expected.note(row)) unknown.add(row.numberId);
    }
    for (const queue of touched) this.#refresh(queue, nowMs);
    return [...unknown];
  }

  /** Returns at most `max` reads wanted now, each handed out once; numbers take turns. */
  takeReads(nowMs: number, max: number): ReadRequest[] {
    this.#wakeNumbers(nowMs);
    return this.#reads.take(nowMs, max, (queue) => this.#refresh(queue, nowMs));
  }

  /**
   * Passes in the rows that a read found, in order of seq, or null if it failed: then it is wanted again at once. An answer for a number
   * closed meanwhile is ignored.
   */
  answerRead(nowMs: number, requestId: number, rows: readonly QueueRow[] | null): void {
    const queue = this.#reads.end(nowMs, requestId, rows);
    if (queue !== null) this.#refresh(queue, nowMs);
  }

  /** Returns up to `max` messages that may go now, each marked in flight and charged. */
  take(nowMs: number, max: number): Dispatch[] {
    for (const chain of this.#state.idlePairs.sweep(nowMs)) this.#numbers.get(chain.numberId)?.forgetChain(chain);
    this.#wakeNumbers(nowMs);
    this.#shares.readmit();
    const { inFlight, options } = this.#state;
    const dispatches: Dispatch[] = [];
    while (dispatches.length < max) {
      const queue = this.#shares.headWithin(options.inFlightMax - inFlight.size);
      if (queue === undefined) break;
      const dispatch = dispatchNext(queue, nowMs);
      if (dispatch !== null) {
        this.#shares.serve(queue);
        dispatches.push(dispatch);
      }
      this.#refresh(queue, nowMs);
    }
    return dispatches;
  }

  /** Returns true if messages to these recipients would be taken at once: nothing else may go now, and nothing of theirs waits. */
  wouldTake(nowMs: number, recipients: readonly Omit<Place, 'seq'>[]): boolean {
    const { inFlight, options } = this.#state;
    if (this.#shares.head() !== undefined || inFlight.size + recipients.length > options.inFlightMax) return false;
    return recipients.every(({ numberId, contact }) => this.#numbers.get(numberId)?.isFree(nowMs, contact) === true);
  }

  /** Ends a dispatch. Returns false if `seq` is not in flight (its number was closed meanwhile). */
  settle(nowMs: number, seq: number, settlement: Settlement): boolean {
    const chain = this.#state.inFlight.get(seq);
    const queue = chain && this.#numbers.get(chain.numberId);
    if (chain === undefined || queue === undefined) return this.#noteGone(seq, settlement);
    settleFlight(queue, chain, settlement, nowMs);
    this.#shares.landed(queue);
    this.#refresh(queue, nowMs);
    return true;
  }

  /** Returns true if a message in flight has another one of its recipient behind it. */
  hasNext(seq: number): boolean {
    return this.#state.inFlight.get(seq)?.hasNext === true;
  }

  /** Returns held messages whose time is over, each once; they stay held until `endHold`. */
  expiredHolds(nowMs: number): Dispatch[] {
    return popExpiredHolds(this.#state.holds, nowMs).flatMap(({ chain, message }) => {
      const queue = this.#numbers.get(chain.numberId);
      return queue === undefined ? [] : [dispatchOf(queue, chain, message)];
    });
  }

  /** Ends a hold, before or after its time. Returns false if `seq` is not held. */
  endHold(nowMs: number, seq: number, settlement: Settlement): boolean {
    const held = this.#state.held.get(seq);
    const queue = held && this.#numbers.get(held.chain.numberId);
    if (held === undefined || queue === undefined) return this.#noteGone(seq, settlement);
    endHold(queue, held, settlement, nowMs);
    this.#refresh(queue, nowMs);
    return true;
  }

  /** Holds a waiting message, because an attempt made before its number was closed and reopened has ended without an outcome. */
  hold(nowMs: number, { numberId, contact, seq }: Place, untilMs: number): void {
    this.#change(nowMs, numberId, (queue) => holdWaiting(queue, contact, seq, untilMs, nowMs));
  }

  /** Returns true if the outcome of this message is unknown. */
  isHeld(seq: number): boolean {
    return this.#state.held.has(seq);
  }

  /** Forgets a waiting message that has ended without being sent; the message behind it may go. */
  forget(nowMs: number, { numberId, contact, seq }: Place): void {
    this.#state.finished.add(seq);
    this.#change(nowMs, numberId, (queue) => queue.forget(contact, seq, nowMs));
  }

  /**
   * Returns when `take`, `takeReads` or `expiredHolds` could return more than now, by the passing of time alone. Returns `nowMs` if `take`
   * or `expiredHolds` has results now, null if time changes nothing.
   */
  nextWakeMs(nowMs: number): number | null {
    if (this.#shares.head() !== undefined) return nowMs;
    const number = this.#shares.nextDueMs() ?? Number.POSITIVE_INFINITY;
    const hold = this.#state.holds.peek()?.key ?? Number.POSITIVE_INFINITY;
    const next = Math.min(number, hold);
    return next === Number.POSITIVE_INFINITY ? null : Math.max(next, nowMs);
  }

  /** Parks a number until `untilMs`, also beyond `resumeNumber`: it is not read. A shorter parking does not end a longer one. */
  parkNumber(nowMs: number, numberId: number, untilMs: number, reason: string): void {
    this.#change(nowMs, numberId, (queue) => queue.allowance.park(untilMs, reason));
  }

  /** Parks a number until `untilMs` or `resumeNumber`. */
  stopNumber(nowMs: number, numberId: number, untilMs: number, reason: string): void {
    this.#change(nowMs, numberId, (queue) => queue.allowance.stop(untilMs, reason));
  }

  /** Ends the stop of a number, because its cause is fixed; other parkings stay. */
  resumeNumber(nowMs: number, numberId: number): void {
    this.#change(nowMs, numberId, ({ allowance }) => allowance.resume(nowMs));
  }

  setPaused(nowMs: number, numberId: number, paused: boolean): void {
    this.#change(nowMs, numberId, ({ allowance }) => allowance.setPaused(paused, nowMs));
  }

  /** Throws RangeError if the rate is not positive; to pause a number, use `setPaused`. */
  setPace(nowMs: number, numberId: number, pace: Pick<NumberOpening, 'ratePerSecond' | 'inFlightMax'>): void {
    this.#change(nowMs, numberId, ({ allowance }) => allowance.setPace(pace, nowMs));
  }

  /** Throws RangeError if the weight is not positive. */
  setOrganizationWeight(organizationId: string, weight: number): void {
    this.#shares.setWeight(organizationId, weight);
  }

  /** Counts inbound messages of the number against its rate; at most one second's worth is owed. */
  chargeNumber(nowMs: number, numberId: number, count: number): void {
    this.#change(nowMs, numberId, (queue) => queue.allowance.charge(count, nowMs));
  }

  /** Blocks this recipient until `untilMs`; its burst then counts as used up. */
  penalizePair(nowMs: number, numberId: number, contact: string, untilMs: number): void {
    this.#change(nowMs, numberId, (queue) => penalizePair(queue, contact, untilMs, nowMs));
  }

  /** Charges a recipient with the debt of a key that was merged into its own. */
  mergePairs(nowMs: number, numberId: number, keys: { from: string; to: string }): void {
    this.#change(nowMs, numberId, (queue) => mergePairs(queue, keys, nowMs));
  }

  /** Lists pairs of a number that have used more than five messages of their burst. */
  listPairDebt(nowMs: number, numberId: number): PairDebt[] {
    const queue = this.#numbers.get(numberId);
    return queue === undefined ? [] : listPairDebt(queue, nowMs);
  }

  /** Explains a number; null if it is not open. Visits all its recipients: for operators, not for loops. */
  explain(nowMs: number, numberId: number, contact?: string): NumberExplanation | null {
    const queue = this.#numbers.get(numberId);
    return queue === undefined ? null : explainNumber(queue, nowMs, contact);
  }

  /** Lists the messages that go next, without taking them, and messages that something keeps back. */
  listNext(nowMs: number, options: PreviewOptions): NextMessages {
    return listNext({ ...this.#state, shares: this.#shares, numbers: this.#numbers }, nowMs, options);
  }

  /** Returns the parking of a number, even if its queue is empty; null if there is none or the number is not open. */
  parkingOf(nowMs: number, numberId: number): Parking | null {
    return this.#numbers.get(numberId)?.allowance.parking(nowMs) ?? null;
  }

  /** Counts number by number: for operators, not for loops. */
  totals(): SchedulerTotals {
    return countTotals(this.#state, [...this.#numbers.values()], this.#shares.organizationCount);
  }

  /** Remembers a message of a number closed meanwhile: the number may be open again with rows read before this row was deleted. */
  #noteGone(seq: number, settlement: Settlement): false {
    if (isOver(settlement)) this.#state.finished.add(seq);
    return false;
  }

  #change(nowMs: number, numberId: number, change: (queue: NumberQueue) => void): void {
    const queue = this.#numbers.get(numberId);
    if (queue === undefined) return;
    change(queue);
    this.#refresh(queue, nowMs);
  }

  /** Moves on chains whose wait has ended, and puts the number into the place that follows from its state. */
  #refresh(queue: NumberQueue, nowMs: number): void {
    if (!queue.allowance.isStopped(nowMs)) {
      queue.wakeWaiting(nowMs);
      this.#reads.note(queue);
    }
    this.#shares.refresh(queue, nowMs);
  }

  #wakeNumbers(nowMs: number): void {
    for (;;) {
      const queue = this.#shares.popDue(nowMs);
      if (queue === undefined) return;
      this.#refresh(queue, nowMs);
    }
  }
}
