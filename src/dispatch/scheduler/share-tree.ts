import { BinaryHeap } from './binary-heap.ts';
import { FairMember, FairQueue } from './fair-queue.ts';
import type { NumberQueue } from './number-queue.ts';
import { positive } from './positive.ts';

class OrganizationShare {
  readonly member: FairMember<OrganizationShare>;
  /** Its eligible numbers. */
  readonly numbers = new FairQueue<NumberQueue>();
  numberCount = 0;

  constructor(weight: number) {
    this.member = new FairMember<OrganizationShare>(this, weight);
  }
}

/**
 * Whose turn it is: organizations by weight, and under each its eligible numbers equally. A number that cannot send now but
 * could later by the passing of time alone stands in a timer heap instead; one that waits for a settlement, an offer or a read
 * stands nowhere until `refresh` is called for it.
 */
export class ShareTree {
  readonly #organizations = new Map<string, OrganizationShare>();
  readonly #order = new FairQueue<OrganizationShare>();
  readonly #sleeping = new BinaryHeap<NumberQueue>();

  get organizationCount(): number {
    return this.#organizations.size;
  }

  /** Throws RangeError when the weight is not positive, as does `setWeight`. */
  add(queue: NumberQueue, organizationWeight: number): void {
    positive('organizationWeight', organizationWeight);
    const known = this.#organizations.get(queue.organizationId);
    const organization = known ?? new OrganizationShare(organizationWeight);
    if (known === undefined) this.#organizations.set(queue.organizationId, organization);
    else this.#order.setWeight(organization.member, organizationWeight);
    organization.numberCount += 1;
  }

  remove(queue: NumberQueue): void {
    const organization = this.#organizations.get(queue.organizationId);
    if (organization === undefined) return;
    this.#sleeping.remove(queue.wake);
    this.#leave(organization, queue);
    organization.numberCount -= 1;
    if (organization.numberCount === 0) this.#organizations.delete(queue.organizationId);
  }

  setWeight(organizationId: string, weight: number): void {
    positive('organizationWeight', weight);
    const organization = this.#organizations.get(organizationId);
    if (organization !== undefined) this.#order.setWeight(organization.member, weight);
  }

  /** To be called when anything about the number has changed. */
  refresh(queue: NumberQueue, nowMs: number): void {
    const organization = this.#organizations.get(queue.organizationId);
    if (organization === undefined) return;
    if (queue.isEligible(nowMs)) {
      this.#sleeping.remove(queue.wake);
      organization.numbers.activate(queue.member);
      this.#order.activate(organization.member);
      return;
    }
    this.#leave(organization, queue);
    this.#sleep(queue, queue.wakeAtMs(nowMs));
  }

  /** The number whose turn it is. */
  head(): NumberQueue | undefined {
    return this.#order.head()?.numbers.head();
  }

  /** The head has sent a message. */
  serve(queue: NumberQueue): void {
    const organization = this.#organizations.get(queue.organizationId);
    if (organization === undefined) return;
    this.#order.serve(organization.member);
    organization.numbers.serve(queue.member);
  }

  /** A number whose time has come, once; it stands nowhere until refreshed. */
  popDue(nowMs: number): NumberQueue | undefined {
    const next = this.#sleeping.peek();
    if (next === undefined || next.key > nowMs) return undefined;
    this.#sleeping.remove(next);
    return next.value;
  }

  /** When the first sleeping number's time comes. */
  nextDueMs(): number | null {
    return this.#sleeping.peek()?.key ?? null;
  }

  #leave(organization: OrganizationShare, queue: NumberQueue): void {
    organization.numbers.deactivate(queue.member);
    if (organization.numbers.size === 0) this.#order.deactivate(organization.member);
  }

  #sleep(queue: NumberQueue, untilMs: number | null): void {
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
