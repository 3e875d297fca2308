import { BinaryHeap } from '../order/binary-heap.ts';
import { FairMember } from '../order/fair-queue.ts';
import type { QueueRow } from '../scheduler-types.ts';

/** `keep` the row in memory; it `waits` in the window for the running read; or `leave` it to a later read of the table. */
export type OfferVerdict = 'keep' | 'wait' | 'leave';

/**
 * The part of one flow of one number that is in memory, and how far the table has been read for it.
 *
 * `cursor` has passed every committed row up to it: such a row is in memory, finished, or left to its recipient's own reads. A
 * row below the cursor that nobody knows therefore committed late and is kept always. Above the cursor there are three states:
 *
 * - following (`more` false): nothing is left unread. Offered rows are kept and move the cursor. When there is no room the
 *   window falls behind; the cursor then stops just below the row left out.
 * - behind (`more` true, no read running): rows above the cursor may exist in the table only. Offers are left there: they are
 *   committed, so a read that starts later sees them.
 * - reading (`more` true, a read running): the read's snapshot may be older than an offer, and its answer may move the cursor
 *   past it or end in following. So offers wait and are judged after the answer. When too many wait, the lowest one turned away
 *   becomes the ceiling: the cursor stops below it, and the flow stays behind.
 *
 * following --no room--> behind --read taken--> reading --short answer--> following
 *                          ^                       |
 *                          +----full answer, ceiling or failure
 */
export class FlowWindow<Recipient> {
  readonly flowId: number;
  readonly member: FairMember<FlowWindow<Recipient>>;
  /** Ready recipients with a message of this flow, by the seq of their first one. */
  readonly ready = new BinaryHeap<Recipient>();
  /** Recipients with a message of this flow that wait for a read of their older messages. */
  unreadRecipients = 0;
  /** Messages waiting in chains. */
  queued = 0;
  /** Messages in flight or held. */
  busy = 0;
  cursor = 0;
  more = false;
  read: 'none' | 'wanted' | 'running' = 'none';
  #waiting: QueueRow[] = [];
  #ceiling = Number.POSITIVE_INFINITY;

  constructor(flowId: number, weight: number) {
    this.flowId = flowId;
    this.member = new FairMember<FlowWindow<Recipient>>(this, weight);
  }

  /** Recipients that could go if the table and the fair share allowed. The others must not fill the window. */
  get openRecipients(): number {
    return this.ready.size + this.unreadRecipients;
  }

  /** Whether nothing but its fair share would be lost with it. */
  get isEmpty(): boolean {
    return !this.more && this.queued === 0 && this.busy === 0 && this.read === 'none';
  }

  /** What to do with a committed row that is not in memory. `waitingMax` bounds the rows that wait for a running read. */
  judge(row: QueueRow, hasRoom: boolean, waitingMax: number): OfferVerdict {
    if (row.seq <= this.cursor) return 'keep';
    if (this.read === 'running') {
      if (this.#waiting.length >= waitingMax) {
        this.#ceiling = Math.min(this.#ceiling, row.seq - 1);
        return 'leave';
      }
      this.#waiting.push(row);
      return 'wait';
    }
    if (this.more) return 'leave';
    if (hasRoom) {
      this.cursor = row.seq;
      return 'keep';
    }
    this.fallBehind(row.seq - 1);
    return 'leave';
  }

  /** A row of this flow went into memory by another way than its window. */
  pass(seq: number): void {
    if (!this.more) this.cursor = Math.max(this.cursor, seq);
  }

  /** From now on rows above `cursor` are the table's. */
  fallBehind(cursor: number): void {
    this.cursor = cursor;
    this.more = true;
  }

  /**
   * The running read answered `rows` out of at most `limit`. Moves the cursor; answers the rows that waited. Of `rows`, only
   * those up to the cursor are the window's now.
   */
  finishRead(rows: readonly QueueRow[], limit: number): QueueRow[] {
    const last = rows.at(-1)?.seq ?? this.cursor;
    this.cursor = Math.max(this.cursor, Math.min(last, this.#ceiling));
    this.more = rows.length >= limit || this.#ceiling !== Number.POSITIVE_INFINITY;
    return this.#endRead();
  }

  /** The running read did not happen. Rows that waited are left to the next one. */
  failRead(): void {
    this.#endRead();
  }

  #endRead(): QueueRow[] {
    const waited = this.#waiting;
    this.#waiting = [];
    this.#ceiling = Number.POSITIVE_INFINITY;
    this.read = 'none';
    return waited;
  }
}
