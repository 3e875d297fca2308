import type { NumberAllowance } from '../number/number-allowance.ts';
import type { NumberQueue } from '../number/number-queue.ts';
import type { Flow, QueuedMessage, RecipientChain } from '../number/recipient-chain.ts';
import { type BinaryHeap, HeapNode } from '../order/binary-heap.ts';
import type { FairMember, FairQueue } from '../order/fair-queue.ts';

/** A flow with the recipients that may go under it. */
class FlowPreview {
  readonly member: FairMember<FlowPreview>;
  /** Ready recipients, without those that have had their turn. */
  readyCount: number;
  readonly #flow: Flow;
  #ready: BinaryHeap<RecipientChain> | undefined;

  constructor(flow: Flow) {
    this.#flow = flow;
    this.member = flow.member.copyFor<FlowPreview>(this);
    this.readyCount = flow.ready.size;
  }

  /** The ready recipients by their first message, copied at the first use, because most flows get no turn in a preview. */
  get ready(): BinaryHeap<RecipientChain> {
    this.#ready ??= this.#flow.ready.copy((chain) => new HeapNode(chain));
    return this.#ready;
  }
}

/**
 * One number as a preview moves it on, with the rules of `number-dispatch.ts` and `number-queue.ts`; the number itself stays as it is: what
 * changes is copied at its first change. Each recipient gets one turn, because its next message waits for an answer that no preview knows.
 */
export class NumberPreview {
  readonly organizationId: string;
  readonly member: FairMember<NumberPreview>;
  readonly wake: HeapNode<NumberPreview>;
  readonly #queue: NumberQueue;
  #ownAllowance: NumberAllowance | undefined;
  #flows: Map<Flow, FlowPreview> | undefined;
  #served: Set<RecipientChain> | undefined;
  #ownOrder: FairQueue<FlowPreview> | undefined;
  #ownWaiting: BinaryHeap<RecipientChain> | undefined;

  constructor(queue: NumberQueue) {
    this.#queue = queue;
    this.organizationId = queue.organizationId;
    this.member = queue.member.copyFor<NumberPreview>(this);
    this.wake = new HeapNode<NumberPreview>(this);
  }

  get allowance(): NumberAllowance {
    return this.#ownAllowance ?? this.#queue.allowance;
  }

  get numberId(): number {
    return this.#queue.numberId;
  }

  isEligible(nowMs: number): boolean {
    return this.#readyFlows > 0 && this.allowance.allows(nowMs);
  }

  wakeAtMs(nowMs: number): number | null {
    const { paused, paceAtMs, inFlight, inFlightMax } = this.allowance;
    if (paused || inFlight >= inFlightMax) return null;
    const next = (this.#ownWaiting ?? this.#queue.waiting).peek();
    const parking = this.allowance.parking(nowMs);
    if (parking !== null) return this.#readyFlows > 0 || next !== undefined ? parking.untilMs : null;
    if (this.#readyFlows > 0) return paceAtMs;
    return next === undefined ? null : next.key;
  }

  /** Returns the next message of an eligible number, charged, as if it were answered at once; null if none is ready after all. */
  next(nowMs: number): QueuedMessage | null {
    this.wakeWaiting(nowMs);
    const order = this.#order;
    for (;;) {
      const flow = order.head();
      const first = flow?.ready.peek();
      if (flow === undefined || first === undefined) return null;
      const chain = first.value;
      const message = chain.messages[0];
      if (this.#served?.has(chain)) flow.ready.remove(first);
      else if (message === undefined || !chain.isSure(this.#queue.unreadFloor)) this.#leave(chain);
      else {
        order.serve(flow.member);
        this.#leave(chain);
        const own = this.#flow(message.flow);
        if (own !== flow) order.charge(own.member);
        const allowance = this.#copyAllowance();
        allowance.depart(nowMs);
        allowance.inFlight -= 1;
        return message;
      }
    }
  }

  /** Moves on the recipients whose wait is over. */
  wakeWaiting(nowMs: number): void {
    const isDue = (waiting: BinaryHeap<RecipientChain>) => (waiting.peek()?.key ?? Number.POSITIVE_INFINITY) <= nowMs;
    if (this.allowance.isStopped(nowMs) || !isDue(this.#ownWaiting ?? this.#queue.waiting)) return;
    this.#ownWaiting ??= this.#queue.waiting.copy((chain) => new HeapNode(chain));
    for (let next = this.#ownWaiting.peek(); next !== undefined && next.key <= nowMs; next = this.#ownWaiting.peek()) {
      const chain = next.value;
      const dueAtMs = chain.messages[0]?.dueAtMs ?? Number.POSITIVE_INFINITY;
      this.#ownWaiting.remove(next);
      if (!chain.isSure(this.#queue.unreadFloor)) continue;
      if (dueAtMs <= nowMs) this.#beReady(chain, nowMs);
      else {
        next.key = dueAtMs;
        this.#ownWaiting.push(next);
      }
    }
  }

  get #readyFlows(): number {
    return (this.#ownOrder ?? this.#queue.order).size;
  }

  get #order(): FairQueue<FlowPreview> {
    this.#ownOrder ??= this.#queue.order.copy((flow) => this.#flow(flow).member);
    return this.#ownOrder;
  }

  #copyAllowance(): NumberAllowance {
    this.#ownAllowance ??= this.#queue.allowance.copy();
    return this.#ownAllowance;
  }

  #flow(flow: Flow): FlowPreview {
    this.#flows ??= new Map();
    let preview = this.#flows.get(flow);
    if (preview === undefined) {
      preview = new FlowPreview(flow);
      this.#flows.set(flow, preview);
    }
    return preview;
  }

  #beReady(chain: RecipientChain, nowMs: number): void {
    const order = this.#order;
    if (order.size === 0) this.#copyAllowance().beginWaiting(nowMs);
    for (const membership of chain.memberships) {
      const flow = this.#flow(membership.flow);
      const node = new HeapNode(chain);
      node.key = membership.node.key;
      flow.ready.push(node);
      flow.readyCount += 1;
      order.activate(flow.member);
    }
  }

  /** Takes a recipient out of all its flows. Their heaps drop it when it comes to their top. */
  #leave(chain: RecipientChain): void {
    this.#served ??= new Set();
    this.#served.add(chain);
    for (const membership of chain.memberships) {
      const flow = this.#flow(membership.flow);
      flow.readyCount -= 1;
      if (flow.readyCount === 0) this.#order.deactivate(flow.member);
    }
  }
}
