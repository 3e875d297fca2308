import { BinaryHeap } from '../order/binary-heap.ts';
import { FairMember } from '../order/fair-queue.ts';
import type { QueueRow } from '../scheduler-types.ts';

/** `keep` the row in memory; let it `wait` in the window for the running read; or `leave` it to a later read of the table. */
export type OfferVerdict = 'keep' | 'wait' | 'leave';

/**
 * The part of one flow of one number that is in memory, and the position up to which the table has been read for it.
 *
 * `cursor` has passed every committed row up to it: such a row is in memory, finished, or left to its recipient's own reads. An unknown row
 * below the cursor therefore committed late and is always kept. Above the cursor there are three states:
 *
 * - following (`more` false): no row is unread. Offered rows are kept and move the cursor. If there is no room, the window falls behind;
 *   the cursor then stops just below the row left out.
 * - behind (`more` true, no read running): rows above the cursor may exist only in the table. Offers are left there: they are committed,
 *   so a read that starts later sees them.
 * - reading (`more` true, a read running): the read's snapshot may be older than an offer, and its answer may move the cursor past the
 *   offer or end in following. Offers therefore wait and are judged after the answer. If too many wait, the lowest refused offer becomes
 *   the ceiling: the cursor stops below it, and the flow stays behind.
 *
 *   following --no room--> behind --read taken--> reading --short answer--> following
 *                            ^                       |
 *                            +----full answer, ceiling or failure
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

  /** Recipients that only wait for a read or for their turn. Other recipients do not count, so that they cannot fill the window. */
  get openRecipients(): number {
    return this.ready.size + this.unreadRecipients;
  }

  /** True if forgetting the flow would lose only its fair share. */
  get isEmpty(): boolean {
    return !this.more && this.queued === 0 && this.busy === 0 && this.read === 'none';
  }

  /** Decides about a committed row that is not in memory. `waitingMax` bounds the rows that wait for a running read. */
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

  /** Records a row of this flow that entered memory without passing through its window. */
  pass(seq: number): void {
    if (!this.more) this.cursor = Math.max(this.cursor, seq);
  }

  /** Leaves rows above `cursor` to the table from now on. */
  fallBehind(cursor: number): void {
    this.cursor = cursor;
    this.more = true;
  }

  /**
   * Ends the running read with its `rows`, out of at most `limit`, and moves the cursor. Returns the rows that waited. The window takes
   * only those of `rows` that are up to the cursor.
   */
  finishRead(rows: readonly QueueRow[], limit: number): QueueRow[] {
    const last = rows.at(-1)?.seq ?? this.cursor;
    this.cursor = Math.max(this.cursor, Math.min(last, this.#ceiling));
    this.more = rows.length >= limit || this.#ceiling !== Number.POSITIVE_INFINITY;
    return this.#endRead();
  }

  /** Ends a running read that failed. Rows that waited are left to the next read. */
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
