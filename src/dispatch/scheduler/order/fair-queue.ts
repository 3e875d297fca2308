import { BinaryHeap, HeapNode } from './binary-heap.ts';

/** A member with a share of a `FairQueue`, active or not. */
export class FairMember<T> {
  readonly node: HeapNode<T>;
  weight: number;
  /** Virtual start of its next turn; at least the queue's virtual time once the member is active. */
  startTag = 0;

  constructor(value: T, weight: number) {
    this.node = new HeapNode(value);
    this.weight = weight;
  }

  get isActive(): boolean {
    return this.node.index >= 0;
  }

  /** Returns an inactive member with the same share and the same next turn. */
  copyFor<Copy>(value: Copy): FairMember<Copy> {
    const copy = new FairMember(value, this.weight);
    copy.startTag = this.startTag;
    return copy;
  }
}

/**
 * Start-time fair queueing over turns of equal size (Goyal, Vin and Cheng, 1996).
 *
 * A turn that starts at virtual time S ends at S + 1/weight, which is the start of its member's next turn. The earliest start is served
 * first and sets the virtual time. A member that becomes active starts at the virtual time or at the end of its last turn, whichever is
 * later: absence earns no credit and pays off no debt.
 * Over every interval in which members i and j are both active, their turns x satisfy |x_i/w_i - x_j/w_j| <= 1/w_i + 1/w_j. For equal
 * starts the earlier end goes first, so that a heavy member that joins light ones need not wait for a round of them.
 */
export class FairQueue<T> {
  #active = new BinaryHeap<T>();
  #virtualTime = 0;

  /** Number of active members. */
  get size(): number {
    return this.#active.size;
  }

  /** Returns the member with the next turn. */
  head(): T | undefined {
    return this.#active.peek()?.value;
  }

  activate(member: FairMember<T>): void {
    if (member.isActive) return;
    member.startTag = Math.max(member.startTag, this.#virtualTime);
    setKey(member);
    this.#active.push(member.node);
  }

  deactivate(member: FairMember<T>): void {
    this.#active.remove(member.node);
  }

  /** Serves the head's turn. */
  serve(member: FairMember<T>): void {
    this.#virtualTime = Math.max(this.#virtualTime, member.startTag);
    this.charge(member);
  }

  /** Counts a turn taken out of order. */
  charge(member: FairMember<T>): void {
    this.#move(member, Math.max(member.startTag, this.#virtualTime) + 1 / member.weight);
  }

  /** Changes a share from now on. The member's lead over the others stays the same in turns. */
  setWeight(member: FairMember<T>, weight: number): void {
    const ahead = Math.max(0, member.startTag - this.#virtualTime);
    const turnsAhead = ahead * member.weight;
    member.weight = weight;
    if (ahead > 0) this.#move(member, this.#virtualTime + turnsAhead / weight);
    else if (member.isActive) this.#move(member, member.startTag);
  }

  /** Returns true if an inactive member would start like a new one, so that forgetting it loses no information. */
  hasLapsed(member: FairMember<T>): boolean {
    return !member.isActive && member.startTag <= this.#virtualTime;
  }

  /** Returns a queue of copies of the active members, in the same order. `memberOf` returns the copy of a member, see `copyFor`. */
  copy<Copy>(memberOf: (value: T) => FairMember<Copy>): FairQueue<Copy> {
    const copy = new FairQueue<Copy>();
    copy.#virtualTime = this.#virtualTime;
    copy.#active = this.#active.copy((value) => memberOf(value).node);
    return copy;
  }

  #move(member: FairMember<T>, startTag: number): void {
    member.startTag = startTag;
    if (!member.isActive) return;
    setKey(member);
    this.#active.update(member.node);
  }
}

function setKey(member: FairMember<unknown>): void {
  member.node.key = member.startTag;
  member.node.tie = member.startTag + 1 / member.weight;
}
