import { HeapNode } from '../order/binary-heap.ts';
import type { QueueRow } from '../scheduler-types.ts';
import type { FlowWindow } from './flow-window.ts';

/** A flow of a number, with the number's recipients that can go under it. */
export type Flow = FlowWindow<RecipientChain>;

/** A queue row in memory, without the data that its flow and its chain already hold. */
export class QueuedMessage {
  readonly seq: number;
  readonly flow: Flow;
  readonly messageId: string;
  readonly acceptedAtMs: number;
  attempt: number;
  /** -Infinity = at once; always a number, so that the field keeps one representation. */
  dueAtMs: number;

  constructor(row: QueueRow, flow: Flow) {
    this.seq = row.seq;
    this.flow = flow;
    this.messageId = row.messageId;
    this.acceptedAtMs = row.acceptedAtMs;
    this.attempt = row.attempt;
    this.dueAtMs = row.dueAtMs ?? Number.NEGATIVE_INFINITY;
  }
}

/** A chain's membership in one flow that has messages in it. */
export interface Membership {
  readonly flow: Flow;
  /** Position among the flow's ready recipients; its key is the seq of the chain's first message of the flow. */
  readonly node: HeapNode<RecipientChain>;
  count: number;
}

/** A message with an unknown outcome. */
export class HeldMessage {
  readonly message: QueuedMessage;
  readonly chain: RecipientChain;
  /** Position among all holds, by the end of its time. */
  readonly node: HeapNode<HeldMessage>;

  constructor(message: QueuedMessage, chain: RecipientChain) {
    this.message = message;
    this.chain = chain;
    this.node = new HeapNode<HeldMessage>(this);
  }
}

/** Place of a chain. `detached` while it changes, and once it is forgotten. */
export type ChainPlace = 'detached' | 'busy' | 'waiting' | 'unread' | 'ready' | 'idle';

/**
 * The messages of one recipient of one number, in order of seq, and the pair's rate limit.
 *
 * Its place follows from its content; the first that applies:
 * - busy: a message is in flight, or the outcome of one is unknown (held). Ends by settlement or release.
 * - waiting: the pair limit does not permit the next message yet. Ends with time.
 * - unread: an older message of the recipient may exist only in the table. Ends with a read, or when the flows are read on.
 * - waiting: the first message is not due yet. Ends with time.
 * - ready: reachable through every flow that has a message in it, so it goes under the most urgent of them.
 * - idle: no messages; kept while the pair limit still restricts it.
 *
 * A row may exist only in the table in these cases. `readTo` is the position up to which the recipient has been read: every row up to it is
 * in memory, finished, or will be kept when it is offered. `more` means that rows above it were left out of memory on purpose, so that only
 * a read of the recipient finds them.
 * A message is known to be the recipient's oldest if it is not above `readTo`, or, without `more`, if no flow of the number is unread below
 * it. A row left out during a read, whose snapshot may not show it, lowers the read's ceiling: the answer then only counts up to there, and
 * `more` stays.
 */
export class RecipientChain {
  readonly numberId: number;
  readonly contact: string;
  messages: QueuedMessage[] = [];
  memberships: Membership[] = [];
  /** Position among the number's waiting chains, by the end of the wait; created for the first wait. */
  timer: HeapNode<RecipientChain> | null = null;
  inFlight: QueuedMessage | null = null;
  held: HeldMessage[] | null = null;
  place: ChainPlace = 'detached';
  read: 'none' | 'wanted' | 'running' = 'none';
  readTo = 0;
  more = false;
  /** The pair's TAT; -Infinity if unknown. */
  tatMs: number;
  /** The TAT before the last charge, to give it back. */
  tatBeforeMs: number;
  dispatchedAtMs = Number.NEGATIVE_INFINITY;
  /** Its bucket of idle pairs; -1 for none. */
  idleBucket = -1;
  /** Highest seq in memory when the running read started: committed before, so the answer shows every earlier row. */
  #tail = 0;
  #ceiling = Number.POSITIVE_INFINITY;

  constructor(numberId: number, contact: string, tatMs = Number.NEGATIVE_INFINITY) {
    this.numberId = numberId;
    this.contact = contact;
    this.tatMs = tatMs;
    this.tatBeforeMs = tatMs;
  }

  /** True if no message of it is known, here or in the table. */
  get isEmpty(): boolean {
    return this.messages.length === 0 && !this.more && this.inFlight === null && this.held === null;
  }

  /** True if a message waits, here or in the table. */
  get hasNext(): boolean {
    return this.messages.length > 0 || this.more;
  }

  knows(seq: number): boolean {
    if (this.inFlight?.seq === seq || this.held?.some((held) => held.message.seq === seq)) return true;
    return this.messages[this.#position(seq)]?.seq === seq;
  }

  /** Returns true if its first message is known to be the oldest of the recipient. */
  isSure(unreadFloor: number): boolean {
    const first = this.messages[0];
    return first !== undefined && (first.seq <= this.readTo || (!this.more && first.seq <= unreadFloor));
  }

  insert(message: QueuedMessage): void {
    // Most chains have one message: an array created with it takes a tenth of the memory of an array it is pushed to.
    if (this.messages.length === 0) this.messages = [message];
    else this.messages.splice(this.#position(message.seq), 0, message);
    message.flow.queued += 1;
    const membership = this.#membership(message.flow);
    if (membership === undefined) {
      const node = new HeapNode<RecipientChain>(this);
      node.key = message.seq;
      const joined = { flow: message.flow, node, count: 1 };
      if (this.memberships.length === 0) this.memberships = [joined];
      else this.memberships.push(joined);
      return;
    }
    membership.count += 1;
    membership.node.key = Math.min(membership.node.key, message.seq);
  }

  takeFirst(): QueuedMessage | undefined {
    const first = this.messages.shift();
    if (first !== undefined) this.#leave(first);
    return first;
  }

  /** Removes and returns a message; undefined if it does not wait here. */
  remove(seq: number): QueuedMessage | undefined {
    const index = this.#position(seq);
    const message = this.messages[index];
    if (message?.seq !== seq) return undefined;
    this.messages.splice(index, 1);
    this.#leave(message);
    return message;
  }

  /** Leaves all but the first `kept` messages to the table. Returns the number of messages left out. */
  cut(kept: number, unreadFloor: number): number {
    const firstLeft = this.messages[kept];
    if (firstLeft === undefined) return 0;
    const left = this.messages.splice(kept);
    for (const message of left) this.#leave(message);
    const sureTo = this.more ? this.readTo : Math.max(this.readTo, unreadFloor);
    this.readTo = Math.min(sureTo, firstLeft.seq - 1);
    this.more = true;
    if (this.read === 'running') this.#ceiling = Math.min(this.#ceiling, firstLeft.seq - 1);
    return left.length;
  }

  startRead(): void {
    this.read = 'running';
    this.#tail = Math.max(this.readTo, this.messages.at(-1)?.seq ?? 0);
    this.#ceiling = Number.POSITIVE_INFINITY;
  }

  /**
   * Ends the running read with rows up to `lastSeq` (0 = none), `full` if there may be further ones. Returns the highest seq up to which
   * the answer counts.
   */
  finishRead(lastSeq: number, full: boolean): number {
    const reached = Math.min(full ? lastSeq : Math.max(lastSeq, this.#tail), this.#ceiling);
    this.readTo = Math.max(this.readTo, reached);
    this.more = full || this.#ceiling !== Number.POSITIVE_INFINITY;
    this.read = 'none';
    return this.readTo;
  }

  #membership(flow: Flow): Membership | undefined {
    return this.memberships.find((membership) => membership.flow === flow);
  }

  #leave(message: QueuedMessage): void {
    const flow = message.flow;
    flow.queued -= 1;
    const membership = this.#membership(flow);
    if (membership === undefined) return;
    membership.count -= 1;
    if (membership.count === 0) this.memberships.splice(this.memberships.indexOf(membership), 1);
    else if (membership.node.key === message.seq) {
      membership.node.key = this.messages.find((next) => next.flow === flow)?.seq ?? message.seq;
    }
  }

  /** Index of the first message not before `seq`. */
  #position(seq: number): number {
    let low = 0;
    let high = this.messages.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.messages[middle]?.seq ?? seq) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
