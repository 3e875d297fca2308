import { BinaryHeap, type HeapNode } from './binary-heap.ts';
import { FairMember, FairQueue } from './fair-queue.ts';
import { positive } from './positive.ts';

/** A number as the tree sees it. */
interface TurnTaker<Self> {
  readonly organizationId: string;
  readonly allowance: { readonly inFlight: number };
  /** Membership among the organization's numbers. */
  readonly member: FairMember<Self>;
  /** Position among the numbers that wait for a time. */
  readonly wake: HeapNode<Self>;
  isEligible(nowMs: number): boolean;
  wakeAtMs(nowMs: number): number | null;
}

class OrganizationShare<Queue> {
  readonly member: FairMember<OrganizationShare<Queue>>;
  /** Its eligible numbers. */
  numbers = new FairQueue<Queue>();
  numberCount = 0;
  inFlight = 0;
  /** True while it leaves the free places to other organizations. */
  isSetAside = false;

  constructor(weight: number) {
    this.member = new FairMember<OrganizationShare<Queue>>(this, weight);
  }

  /** `queueOf` returns the copy of a number. */
  copy<Copy extends TurnTaker<Copy>>(queueOf: (queue: Queue) => Copy): OrganizationShare<Copy> {
    const copy = new OrganizationShare<Copy>(this.member.weight);
    copy.member.startTag = this.member.startTag;
    copy.numbers = this.numbers.copy((queue) => queueOf(queue).member);
    copy.numberCount = this.numberCount;
    copy.inFlight = this.inFlight;
    copy.isSetAside = this.isSetAside;
    return copy;
  }
}

/**
 * Share that one organization may have in flight, of its own messages in flight plus the free places. Some places always remain for the
 * others.
 */
const ROOM_SHARE = 7 / 8;

/**
 * Decides the order of turns: organizations by weight, and in each its eligible numbers equally. A number that can only send later, by the
 * passing of time alone, is in a timer heap instead. A number that waits for a settlement, an offer or a read is in no structure until
 * `refresh` is called for it.
 */
export class ShareTree<Queue extends TurnTaker<Queue>> {
  readonly #organizations = new Map<string, OrganizationShare<Queue>>();
  #order = new FairQueue<OrganizationShare<Queue>>();
  #sleeping = new BinaryHeap<Queue>();
  #setAside: OrganizationShare<Queue>[] = [];

  get organizationCount(): number {
    return this.#organizations.size;
  }

  /** Throws RangeError if the weight is not positive, as does `setWeight`. */
  add(queue: Queue, organizationWeight: number): void {
    positive('organizationWeight', organizationWeight);
    const known = this.#organizations.get(queue.organizationId);
    const organization = known ?? new OrganizationShare<Queue>(organizationWeight);
    if (known === undefined) this.#organizations.set(queue.organizationId, organization);
    else this.#order.setWeight(organization.member, organizationWeight);
    organization.numberCount += 1;
  }

  remove(queue: Queue): void {
    const organization = this.#organizations.get(queue.organizationId);
    if (organization === undefined) return;
    this.#sleeping.remove(queue.wake);
    this.#leave(organization, queue);
    organization.numberCount -= 1;
    organization.inFlight -= queue.allowance.inFlight;
    if (organization.numberCount === 0) this.#organizations.delete(queue.organizationId);
  }

  setWeight(organizationId: string, weight: number): void {
    positive('organizationWeight', weight);
    const organization = this.#organizations.get(organizationId);
    if (organization !== undefined) this.#order.setWeight(organization.member, weight);
  }

  /** Must be called after every change of the number's state. */
  refresh(queue: Queue, nowMs: number): void {
    const organization = this.#organizations.get(queue.organizationId);
    if (organization === undefined) return;
    if (queue.isEligible(nowMs)) {
      this.#sleeping.remove(queue.wake);
      organization.numbers.activate(queue.member);
      if (!organization.isSetAside) this.#order.activate(organization.member);
      return;
    }
    this.#leave(organization, queue);
    this.#sleep(queue, queue.wakeAtMs(nowMs));
  }

  /** Returns the number with the next turn. */
  head(): Queue | undefined {
    return this.#order.head()?.numbers.head();
  }

  /**
   * Returns the number with the next turn while `free` more messages may be in flight. An organization that must leave these places to
   * others loses its turns until `readmit`.
   */
  headWithin(free: number): Queue | undefined {
    for (;;) {
      const organization = this.#order.head();
      if (organization === undefined) return undefined;
      if (organization.inFlight < ROOM_SHARE * (organization.inFlight + free)) return organization.numbers.head();
      organization.isSetAside = true;
      this.#setAside.push(organization);
      this.#order.deactivate(organization.member);
    }
  }

  /** Gives turns again to organizations that had lost them. */
  readmit(): void {
    for (const organization of this.#setAside) {
      organization.isSetAside = false;
      if (organization.numbers.size > 0) this.#order.activate(organization.member);
    }
    this.#setAside = [];
  }

  /** Records that a message of the number is no longer in flight. */
  landed(queue: Queue): void {
    const organization = this.#organizations.get(queue.organizationId);
    if (organization !== undefined) organization.inFlight -= 1;
  }

  /** Records that the head has sent a message. */
  serve(queue: Queue): void {
    const organization = this.#organizations.get(queue.organizationId);
    if (organization === undefined) return;
    organization.inFlight += 1;
    this.#order.serve(organization.member);
    organization.numbers.serve(queue.member);
  }

  /** Removes and returns a number whose time has come. It is in no structure until refreshed. */
  popDue(nowMs: number): Queue | undefined {
    const next = this.#sleeping.peek();
    if (next === undefined || next.key > nowMs) return undefined;
    this.#sleeping.remove(next);
    return next.value;
  }

  /** Returns when the first sleeping number's time comes. */
  nextDueMs(): number | null {
    return this.#sleeping.peek()?.key ?? null;
  }

  /** Returns a tree of copies, whose turns change nothing here. `queueOf` returns the copy of a number, with a copy of its `member`. */
  copy<Copy extends TurnTaker<Copy>>(queueOf: (queue: Queue) => Copy): ShareTree<Copy> {
    const copy = new ShareTree<Copy>();
    const shares = new Map<OrganizationShare<Queue>, OrganizationShare<Copy>>();
    for (const [id, share] of this.#organizations) {
      const shareCopy = share.copy(queueOf);
      copy.#organizations.set(id, shareCopy);
      shares.set(share, shareCopy);
    }
    const shareOf = (share: OrganizationShare<Queue>) => shares.get(share) ?? share.copy(queueOf);
    copy.#order = this.#order.copy((share) => shareOf(share).member);
    copy.#sleeping = this.#sleeping.copy((queue) => queueOf(queue).wake);
    copy.#setAside = this.#setAside.map(shareOf);
    return copy;
  }

  #leave(organization: OrganizationShare<Queue>, queue: Queue): void {
    organization.numbers.deactivate(queue.member);
    if (organization.numbers.size === 0) this.#order.deactivate(organization.member);
  }

  #sleep(queue: Queue, untilMs: number | null): void {
    if (untilMs === null) {
      this.#sleeping.remove(queue.wake);
      return;
    }
    if (queue.wake.index >= 0 && queue.wake.key === untilMs) return;
    this.#sleeping.remove(queue.wake);
    queue.wake.key = untilMs;
    this.#sleeping.push(queue.wake);
  }
}
